/** Settings. */
import type { JSX } from "preact";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";

export function SettingsPage(_: PageProps): JSX.Element {
  return <h1>{t("title.settings")}</h1>;
}
