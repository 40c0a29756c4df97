/** A player's actions beside moves, and offers that await an answer. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { ArbiterClient, GameView } from "../arbiter/model.ts";
import { inLetters } from "../board/speech.ts";
import { preferences } from "../preferences.ts";
import { at } from "../router.ts";
import { t } from "../texts/index.ts";
import { Icon } from "./game_icons.tsx";
import { hasLeft, refusalText, type Action, type Choices } from "./game_rules.ts";

interface ActionsProps {
  readonly client: ArbiterClient;
  readonly view: GameView;
  readonly choices: Choices;
}

/** `children` are further buttons of the row. */
export function Actions({ client, view, choices, children }: ActionsProps & { readonly children?: ComponentChildren }): JSX.Element | null {
  const [asked, setAsked] = useState<"resign" | "draw" | null>(null);
  const isPossible = asked !== null && choices.actions.includes(asked);
  useEffect(() => {
    if (!isPossible) setAsked(null);
  }, [isPossible]);
  const say = (word: string): void => client.word(view.game, word);
  const isSaid = (word: string): boolean => view.pendingWords.some((one) => one.content === word);
  if (asked && isPossible) {
    const question = t(`action.${asked}.sure`);
    return (
      <div class="actions confirm" role="group" aria-label={question}>
        <span>{question}</span>
        <button type="button" class={asked === "resign" ? "danger" : "primary"} data-testid="confirm" autofocus onClick={() => (say(asked), setAsked(null))}>
          {t(`action.${asked}`)}
        </button>
        <button type="button" onClick={() => setAsked(null)}>{t("action.resign.no")}</button>
      </div>
    );
  }
  if (choices.actions.length === 0 && !children) return null;
  const act = (action: Action): void => {
    if ((action === "resign" || action === "draw") && preferences().confirmResign) setAsked(action);
    else say(action);
  };
  return (
    <div class="actions" role="group" aria-label={t("game.actions")}>
      {choices.actions.map((action) => (
        <button key={action} type="button" class={`action ${action}`} data-testid={action} disabled={isSaid(action)} onClick={() => act(action)}>
          <Icon name={action} />
          <span>{isSaid(action) ? t("action.sent", { action: t(`action.${action}`) }) : t(`action.${action}`)}</span>
        </button>
      ))}
      {children}
    </div>
  );
}

interface BannersProps extends ActionsProps {
  /** The name of the player who offers, for spectators. */
  readonly offerer: string;
  /** The move that waits for the player's second thought, in SAN. */
  readonly unsent: string | null;
  /** An offer that was not accepted, in words. */
  readonly turnedDown: string | null;
  readonly onConfirm: () => void;
  readonly onForget: () => void;
}

/** The texts of the banners, which the page's live region reads out when they are new. */
export function bannerTexts({ view, choices, offerer, unsent, turnedDown }: Omit<BannersProps, "client" | "onConfirm" | "onForget">): string[] {
  const { confirmed, refused, strikes, me } = view;
  const seen = me === null && confirmed?.offer?.kind;
  return [
    hasLeft(view) && t("game.left"),
    unsent && t("game.confirmMove", { move: inLetters(unsent) }),
    turnedDown,
    refused && refusalText(refused),
    refused && strikes && t("game.strikes", { count: strikes.count, of: strikes.of }),
    choices.theirs && t(`offer.theirs.${choices.theirs}`),
    choices.mine && t(`offer.mine.${choices.mine}`),
    seen && t(`offer.seen.${seen}`, { player: offerer }),
  ].filter((text) => typeof text === "string");
}

/** An offer, a refusal, a move to confirm: what the player should see now. */
export function Banners(props: BannersProps): JSX.Element {
  const { client, view, choices, offerer, unsent, turnedDown } = props;
  const { confirmed, refused, strikes } = view;
  const say = (word: string): void => client.word(view.game, word);
  const rematch = confirmed?.rematch;
  const seen = view.me === null ? (confirmed?.offer?.kind ?? null) : null;
  return (
    <div class="words">
      {unsent && (
        <Banner tone="ask" text={t("game.confirmMove", { move: inLetters(unsent) })}>
          <button type="button" class="primary" data-testid="confirm" onClick={props.onConfirm}>{t("game.confirm")}</button>
          <button type="button" onClick={props.onForget}>{t("game.takeItBack")}</button>
        </Banner>
      )}
      {turnedDown && <Banner tone="bad" text={turnedDown} />}
      {refused && (
        <Banner tone="bad" text={refusalText(refused)}>
          {strikes && <small>{t("game.strikes", { count: strikes.count, of: strikes.of })}</small>}
        </Banner>
      )}
      {hasLeft(view) && <Banner tone="plain" text={t("game.left")} />}
      {choices.theirs && (
        <Banner tone="ask" text={t(`offer.theirs.${choices.theirs}`)}>
          <button type="button" class="primary" data-testid={choices.theirs} onClick={() => say(choices.theirs!)}>{t("offer.accept")}</button>
          <button type="button" onClick={() => say(`${choices.theirs}-decline`)}>{t("offer.decline")}</button>
        </Banner>
      )}
      {choices.mine && (
        <Banner tone="plain" text={t(`offer.mine.${choices.mine}`)}>
          {choices.mine === "rematch" && (
            <button type="button" onClick={() => say("rematch-decline")}>{t("offer.withdraw")}</button>
          )}
        </Banner>
      )}
      {seen && <Banner tone="plain" text={t(`offer.seen.${seen}`, { player: offerer })} />}
      {rematch && (
        <Banner tone="ask" text=""><a class="button primary" href={at.game(rematch)}>{t("offer.next")}</a></Banner>
      )}
    </div>
  );
}

interface BannerProps {
  readonly tone: "plain" | "ask" | "bad";
  readonly text: string;
  readonly children?: ComponentChildren;
}

function Banner({ tone, text, children }: BannerProps): JSX.Element {
  return (
    <div class={`word ${tone}`}>
      {text && <span>{text}</span>}
      {children}
    </div>
  );
}
