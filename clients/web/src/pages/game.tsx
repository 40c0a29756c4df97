import type { JSX } from "preact";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";

/** Replaced by the page of src/pages/game of its own. */
export function GamePage(_: PageProps): JSX.Element {
  return <p>{t("app.loading")}</p>;
}
