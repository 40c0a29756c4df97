/** Blocking a player, and reporting them to the arbiter's operator. */

import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import type { ChatLine, GameId, Pubkey, Refusal } from "../arbiter/model.ts";
import { MAX_DISCLOSED, REPORT_TYPES, reportEvent, type PlayerReport } from "../arbiter/reports.ts";
import type { PageProps } from "../shared/hooks.ts";
import { nameOf } from "../shared/npub.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { t } from "../texts/index.ts";
import { useBlocks, type Blocks } from "./blocks.ts";
import { Section } from "./section.tsx";

/** The arbiter cuts a longer text to a line of chat. */
const MAX_TEXT = 140;
/** The newest lines, from which the reporter chooses. */
const MAX_SHOWN = 20;

interface ToolsProps extends PageProps {
  readonly player: Pubkey;
  readonly blocks: Blocks;
  readonly game?: GameId;
  /** The player's lines of chat, which may be disclosed. */
  readonly lines?: readonly ChatLine[];
}

export function PlayerTools(props: ToolsProps): JSX.Element | null {
  const { state, player, blocks } = props;
  const [isReporting, setReporting] = useState(false);
  if (player === state.me) return null;
  const isBlocked = blocks.keys.includes(player);
  return (
    <div class="player-tools">
      <button type="button" class="quiet" disabled={blocks.isAsking} onClick={() => blocks.block(player, !isBlocked)}>
        {t(isBlocked ? "block.undo" : "block.do")}
      </button>
      <button type="button" class="quiet" onClick={() => setReporting(true)}>{t("report.open")}</button>
      <p role="status">{blocks.refusal ? refusalText(blocks.refusal) : isBlocked && t("block.done")}</p>
      {isReporting && <Report {...props} onClose={() => setReporting(false)} />}
    </div>
  );
}

/** On a page that has no list yet. */
export function PlayerToolsAlone(props: Omit<ToolsProps, "blocks">): JSX.Element | null {
  const blocks = useBlocks(props.client, "player");
  return blocks && <PlayerTools {...props} blocks={blocks} />;
}

export function refusalText({ reason, text }: Refusal): string {
  const isOurs = reason === "unsigned" || reason === "unanswered";
  return isOurs ? t(`notice.request.${reason}`) : t("notice.request.refused", { text: text || reason });
}

export function BlockedPlayers(props: PageProps): JSX.Element | null {
  const blocks = useBlocks(props.client, "settings");
  return (
    blocks && (
      <Section title="block.title">
        {blocks.keys.length === 0 && <p class="soft">{t("block.none")}</p>}
        <ul class="rows">
          {blocks.keys.map((player) => (
            <li key={player}>
              <span><PlayerName {...props} player={player} linked /></span>
              <button type="button" disabled={blocks.isAsking} onClick={() => blocks.block(player, false)}>
                {t("block.undo")}<span class="unseen"> {nameOf(props.state, player)}</span>
              </button>
            </li>
          ))}
        </ul>
        <p role="status">{blocks.refusal && refusalText(blocks.refusal)}</p>
      </Section>
    )
  );
}

function Report({ client, state, player, game = "", lines = [], onClose }: ToolsProps & { readonly onClose: () => void }): JSX.Element {
  const [type, setType] = useState<PlayerReport["type"]>("other");
  const [text, setText] = useState("");
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [sent, setSent] = useState<{ readonly id: string | null; readonly refusal?: Refusal } | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const untaken = (id: string, refusal: Refusal): void => setSent((was) => (was?.id === id ? { id, refusal } : was));
    return client.follow("report", [], { heard: () => {}, untaken });
  }, [client]);
  const shown = lines.slice(-MAX_SHOWN);

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    if (!state.arbiter) return;
    const disclosed = shown.filter(({ id }) => chosen.has(id)).map((line) => line.text);
    const report = { player, type, game: game || null, lines: disclosed, text: text.trim() };
    setSent({ id: await client.command(reportEvent(report, state.arbiter.pubkey), 0) });
  }
  function turn(id: string): void {
    const without = new Set([...chosen].filter((one) => one !== id));
    choose(without.size < chosen.size ? without : without.add(id));
  }
  const outcome = sent && (sent.refusal ? refusalText(sent.refusal) : t(sent.id ? "report.sent" : "notice.request.unsigned"));
  const isSent = sent?.id && !sent.refusal;

  return (
    <dialog ref={dialog} class="card report" aria-labelledby={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void send(event)}>
        <h2 id={title}>{t("report.title", { player: nameOf(state, player) })}</h2>
        <p class="soft">{t("report.about")}</p>
        <label>
          {t("report.type")}
          <select value={type} onChange={({ currentTarget: { value } }) => setType(value as PlayerReport["type"])}>
            {REPORT_TYPES.map((one) => <option key={one} value={one}>{t(`report.type.${one}`)}</option>)}
          </select>
        </label>
        <label>
          {t("report.text")}
          <input type="text" maxLength={MAX_TEXT} autocomplete="off" value={text} onInput={({ currentTarget: { value } }) => setText(value)} />
        </label>
        {shown.length > 0 && (
          <fieldset>
            <legend>{t("report.lines")}</legend>
            {shown.map(({ id, text: line }) => (
              <label class="check" key={id}>
                <input type="checkbox" checked={chosen.has(id)} disabled={!chosen.has(id) && chosen.size >= MAX_DISCLOSED} onChange={() => turn(id)} />
                <bdi>{line}</bdi>
              </label>
            ))}
          </fieldset>
        )}
        <p role="status">{outcome}</p>
        <p class="joined">
          {!isSent && <button type="submit" class="primary">{t("report.send")}</button>}
          <button type="button" onClick={() => dialog.current?.close()}>{t(isSent ? "report.close" : "lobby.cancel")}</button>
        </p>
      </form>
    </dialog>
  );
}
