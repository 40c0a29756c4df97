/** Boards and pieces other than the usual ones: loaded when they are chosen, or to choose from. */

import plain from "url:./plain.svg";
import style from "url:./themes.css";

import { styled } from "./shared/styles.ts";

// In the stylesheet the address would be that of the file, not of the hashed one.
document.documentElement.style.setProperty("--plain", `url("${new URL(plain, import.meta.url).href}")`);
await styled(style, import.meta.url);
