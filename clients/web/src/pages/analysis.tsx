import type { JSX } from "preact";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";

/** Replaced by the page of src/pages/analysis of its own. */
export function AnalysisPage(_: PageProps): JSX.Element {
  return <p>{t("app.loading")}</p>;
}
