/** The rounds of an event: pairings, results, byes, and the boards on which it is played. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { GameId } from "../arbiter/model.ts";
import { at } from "../router.ts";
import { GameCard } from "../shared/game_card.tsx";
import { t } from "../texts/index.ts";
import { resultText, type Round } from "./book.ts";
import type { TournamentBoard } from "./model.ts";
import { Name } from "./texts.tsx";
import type { PartProps } from "./tournament.tsx";

/** Small boards at a time: one filter names the games that are watched, and the gateway bounds it. */
const WATCHED = 12;
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

export function Rounds(props: PartProps & { readonly isPoster: boolean }): JSX.Element | null {
  const { rounds, tournament, isPoster } = props;
  const [chosen, choose] = useState<number | null>(null);
  const [areLive, setLive] = useState(false);
  const shown = rounds.find(({ number }) => number === (chosen ?? tournament.round)) ?? rounds.at(-1);
  if (!shown) return null;
  const running = shown.boards.filter(({ game, result }) => game !== null && result === null);
  return (
    <section class="card" aria-label={t("events.rounds")} data-testid="event-rounds">
      <div class="joined">
        <h2>{t("events.round", { round: shown.number })}</h2>
        {!isPoster && rounds.length > 1 && (
          <label class="check">
            <span class="unseen">{t("events.rounds")}</span>
            <select value={shown.number} onChange={({ currentTarget: { value } }) => choose(Number(value))}>
              {rounds.map(({ number }) => <option value={number}>{t("events.round", { round: number })}</option>)}
            </select>
          </label>
        )}
        {!isPoster && running.length > 0 && (
          <button type="button" aria-expanded={areLive} data-testid="event-live" onClick={() => setLive(!areLive)}>{t("events.live")}</button>
        )}
      </div>
      {areLive && <LiveBoards {...props} boards={running} />}
      <Pairings {...props} round={shown} />
    </section>
  );
}

function Pairings({ state, standings: { rows }, round }: PartProps & { readonly round: Round }): JSX.Element {
  const isMe = (players: readonly string[]): boolean => state.me !== null && players.includes(state.me);
  return (
    <div class="wide-table">
      <table class="pairings">
        <thead>
          <tr>
            <th scope="col">{t("events.board")}</th>
            <th scope="col">{t("color.white")}</th>
            <th scope="col">{t("events.result")}</th>
            <th scope="col">{t("color.black")}</th>
          </tr>
        </thead>
        <tbody>
          {round.boards.map((board) => (
            <tr key={board.number} class={isMe([board.white, board.black]) ? "me-row" : ""}>
              <td>{board.number}</td>
              <td><Name state={state} player={board.white} rows={rows} /></td>
              <td><Result board={board} /></td>
              <td><Name state={state} player={board.black} rows={rows} /></td>
            </tr>
          ))}
          {round.byes.map(({ player, kind }) => (
            <tr key={player} class={isMe([player]) ? "me-row" : ""}>
              <td />
              <td><Name state={state} player={player} rows={rows} /></td>
              <td colSpan={2}>{t(`events.byeOf.${kind}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Result({ board: { game, result, isCorrected } }: { readonly board: TournamentBoard }): JSX.Element {
  const text = result === null ? t(game ? "game.live" : "events.planned") : resultText(result);
  return (
    <>
      {game ? <a href={at.game(game)}>{text}</a> : text}
      {isCorrected && <small> {t("events.corrected")}</small>}
    </>
  );
}

type Live = PartProps & { readonly boards: readonly TournamentBoard[] };

/** The first boards, and further ones in turns. */
function LiveBoards({ client, state, tournament, boards }: Live): JSX.Element {
  const [from, setFrom] = useState(0);
  const first = from < boards.length ? from : 0;
  const more = boards.length > WATCHED;
  return (
    <>
      <div class="boards">
        {boards.slice(first, first + WATCHED).map(({ game, white, black }) => (
          <GameCard
            key={game}
            client={client}
            state={state}
            watched
            game={{
              id: game as GameId, fen: START, ply: 0, lastMove: null, isLive: true, result: "*", winner: null, beganMs: 0, endedMs: null,
              white: { pubkey: white, npub: null }, black: { pubkey: black, npub: null },
              time: tournament.time, rated: tournament.rated, variant: "standard",
            }}
          />
        ))}
      </div>
      {more && <button type="button" onClick={() => setFrom(first + WATCHED)}>{t("events.moreBoards")}</button>}
    </>
  );
}
