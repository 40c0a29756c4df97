/** Parts of later.ts, loaded when they are first drawn. */

import type { ComponentType, JSX } from "preact";
import { t } from "../texts/index.ts";
import { useLoaded } from "./hooks.ts";

export const later = (): Promise<typeof import("../pages/later.ts")> => import("../pages/later.ts");

/** Nothing until it is there; without a network, a line that says so. */
export function part<P extends object>(
  choose: (all: Awaited<ReturnType<typeof later>>) => ComponentType<P>,
): (props: P) => JSX.Element | null {
  const load = (): Promise<ComponentType<P>> => later().then(choose, () => Failed);
  return (props) => {
    const Found = useLoaded(load);
    return Found && <Found {...props} />;
  };
}

function Failed(): JSX.Element {
  return <p role="alert">{t("app.failed")}</p>;
}
