/** The player in this browser, for the pages that show or change it. */

import { createContext } from "preact";
import type { Identity } from "../identity/identity.ts";
import type { Signer } from "../identity/signer.ts";

export interface Account {
  readonly identity: Identity;
  readonly signer: Signer;
  /** An extension or bunker was chosen, and the player has this browser's own key play meanwhile. */
  readonly fellBack: boolean;
}

/** `null` where there is no key, as in tests of pages. */
export const AccountContext = createContext<Account | null>(null);
