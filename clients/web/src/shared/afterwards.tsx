/** Draws its content a moment later than the rest. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Draws its children once the frame is done that the rest is in: in one task, all would be late. */
export function Afterwards({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [shown, setShown] = useState(children);
  useEffect(() => {
    const timer = setTimeout(() => setShown(children));
    return () => clearTimeout(timer);
  }, [children]);
  return <>{shown}</>;
}
