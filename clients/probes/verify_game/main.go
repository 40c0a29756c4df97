// Command verify_game TRANSCRIPT [NOTE.json] checks a game from PROTOCOL.md alone ("The chain").
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/corentings/chess/v2"
)

type event struct {
	ID, Pubkey, Content, Sig string
	CreatedAt                int64 `json:"created_at"`
	Kind                     int
	Tags                     [][]string
}

type line struct {
	Game, Arbiter, White, Black, Start, Variant, Chain, First string // of the first line
	ID, Shown                                                 string
	Event                                                     *event
}

func (e *event) has(name, value string) bool {
	return slices.ContainsFunc(e.Tags, func(tag []string) bool { return len(tag) > 1 && tag[0] == name && tag[1] == value })
}

func must(isRight bool, flaw ...any) {
	if !isRight {
		fmt.Println(append([]any{"wrong:"}, flaw...)...)
		os.Exit(1)
	}
}

func unhex(text string) []byte {
	octets, _ := hex.DecodeString(text)
	return octets
}

// NIP-01: the id is the hash of the serialized fields, and the signature is of the id.
func (e *event) isSigned() bool {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode([]any{0, e.Pubkey, e.CreatedAt, e.Kind, e.Tags, e.Content})
	id := sha256.Sum256([]byte(strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(text.String())))) // NIP-01 does not escape these
	signature, err := schnorr.ParseSignature(unhex(e.Sig))
	pubkey, errKey := schnorr.ParsePubKey(unhex(e.Pubkey))
	return hex.EncodeToString(id[:]) == e.ID && err == nil && errKey == nil && signature.Verify(id[:], pubkey)
}

// Whether a player of this game signed the line's event for it.
func (e *event) isOf(game line, l line) bool {
	isHere := e.Kind != 20300 && e.Kind != 20303 || e.has("p", game.Arbiter) && (e.Kind == 20300 || l.Shown == "" || e.has("d", game.Game))
	return e.ID == l.ID && (e.Pubkey == game.White || e.Pubkey == game.Black) && isHere && e.isSigned()
}

// Who may say what: half-moves more, whether its signer is on turn, the word, the offer before and now, the end, the result for them.
var words = regexp.MustCompile(`(?s)^(1 on (move|lines:\S+) \S+ \S+ (- \*|checkmate win|(stalemate|insufficient-material|fivefold-repetition|seventyfive-moves) draw)|` +
	`(-1 on|-2 off) takeback takeback:other - - \*|0 \S+ (draw (-|\S+:me) draw:me|takeback (-|\S+:me) takeback:me|abort (-|\S+:me) abort:me|vacation:[1-9]\d? \S+ =) - \*|` +
	`0 \S+ (draw-decline draw:other|takeback-decline takeback:other|abort-decline abort:other) - - \*|0 \S+ (resign|quit) \S+ [-=] resignation loss|` +
	`0 \S+ draw draw:other - agreement draw|0 \S+ claim \S+ [-=] (threefold-repetition|fifty-moves) draw|0 off claim-left \S+ [-=] left (win|draw)|` +
	`0 on .* [-=] (illegal-moves|timeout|no-show) (loss|draw)|0 off .* [-=] (timeout|no-show) (win|draw)|0 \S+ .* [-=] aborted \*)$`)
var seenBy = map[chess.Color]*strings.Replacer{
	chess.White: strings.NewReplacer(":w", ":me", ":b", ":other", "1-0", "win", "0-1", "loss", "1/2-1/2", "draw"),
	chess.Black: strings.NewReplacer(":b", ":me", ":w", ":other", "0-1", "win", "1-0", "loss", "1/2-1/2", "draw"),
}
var castling = map[string]string{"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}

type state struct {
	ply                                          int
	move, offer, white, black, result, ended, id string
	at                                           *chess.Position
}

// The states by ply with this one, a takeback leaves fewer; and the state.
func follow(game line, plies []state, before state, l line, number int) ([]state, state) {
	now, last := state{id: l.ID}, plies[len(plies)-1].at
	n, _ := fmt.Sscan(l.Shown, &now.ply, &now.move, &now.offer, &now.white, &now.black, &now.result, &now.ended)
	must(n == 7 && now.ply >= 0 && (now.ended == "-" || now.ended == "aborted") == (now.result == "*") && (before.ended == "-" || before.id == l.ID), "state", number, "shows none, or is behind the end")
	if e := l.Event; e != nil {
		signer := map[bool]chess.Color{true: chess.White, false: chess.Black}[e.Pubkey == game.White]
		turn, word := map[bool]string{true: "on", false: "off"}[signer == last.Turn()], strings.ToLower(e.Content)
		word = map[bool]string{true: "move", false: word}[word == now.move || castling[word] == now.move]
		said := seenBy[signer].Replace(fmt.Sprintln(now.ply-before.ply, turn, word, before.offer, map[bool]string{true: "=", false: now.offer}[now.offer == before.offer], now.ended, now.result))
		must((e.Kind != 20303 || words.MatchString(strings.TrimSpace(said))) && (now.ply <= before.ply || turn == "on"), "state", number, "is not by who signed", e.Content)
	}
	if now.ply < len(plies) {
		must(plies[now.ply].move == now.move, "state", number, "has another move than the one before")
		return plies[:now.ply+1], now
	}
	at := slices.IndexFunc(last.ValidMoves(), func(legal chess.Move) bool { return legal.String() == now.move })
	must(at >= 0 && now.ply == len(plies), "state", number, now.move, "is not legal")
	now.at = last.Update(&last.ValidMoves()[at])
	is := map[chess.Method]string{chess.Checkmate: "checkmate win", chess.Stalemate: "stalemate draw"}[now.at.Status()]
	must(is == "" && !strings.Contains("checkmate stalemate", now.ended) || is == seenBy[last.Turn()].Replace(now.ended+" "+now.result), "state", number, "does not end so")
	return append(plies, now), now
}

func check(lines []line, note *event) {
	start, err := chess.FEN(lines[0].Start)
	game, states, ids, missing := lines[0], lines[1:], lines[0].Game, 0
	must(err == nil && game.Variant == "standard", "only standard chess is checked here")
	for _, l := range states {
		must(l.Event == nil || l.Event.isOf(game, l), "no player signed the event", l.ID, "for this game")
	}
	if game.Chain == "" { // a release that keeps none played a part of the game
		fmt.Println("missing: the chain, and lines of which nothing tells;", len(states), "are of this game")
		return
	}
	for ; len(states) > 0 && states[0].Shown == ""; states = states[1:] {
		must(game.First == "", "the first line has a first link, and there are requests")
		ids += states[0].ID
	}
	chain := sha256.Sum256(unhex(ids))
	copy(chain[:], unhex(game.First))
	plies, now := []state{{move: "-", at: chess.NewGame(start).Position()}}, state{offer: "-", ended: "-"}
	for number, l := range states {
		chain = sha256.Sum256(append(append(chain[:], unhex(l.ID)...), l.Shown...))
		plies, now = follow(game, plies, now, l, number+1)
		missing += map[bool]int{true: 1}[l.Event == nil && !strings.HasPrefix(l.ID, strings.Repeat("0", 48))]
	}
	must(hex.EncodeToString(chain[:]) == game.Chain, "the links do not lead to the chain of the first line")
	isOf := note == nil || !strings.Contains(note.Content, "\n[Variant ") && (strings.Contains(note.Content, fmt.Sprintf("\n[FEN %q]\n", game.Start)) || !strings.Contains(note.Content, "\n[FEN ") && game.Start == chess.NewGame().FEN()) && note.has("d", game.Game) && note.has("p", game.White) && note.has("p", game.Black) && note.Pubkey == game.Arbiter && note.isSigned()
	must(isOf && (note == nil || note.has("result", now.result) && note.has("chain", game.Chain)), "the arbiter signed another history")
	fmt.Println("right:", now.ply, "half-moves,", missing, "events missing,", now.result, "by", now.ended)
}

func main() {
	file, _ := os.ReadFile(os.Args[1])
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	lines, note := []line{}, (*event)(nil)
	for decoder := json.NewDecoder(io.LimitReader(unpacked, 8<<20)); err == nil; err = decoder.Decode(&lines[len(lines)-1]) {
		lines = append(lines, line{})
	}
	must(err == io.EOF && len(lines) > 2, "not a transcript:", err)
	text, _ := os.ReadFile(os.Args[len(os.Args)-1])
	must(len(os.Args) < 3 || json.Unmarshal(text, &note) == nil, "the note is none")
	check(lines[:len(lines)-1], note)
}
