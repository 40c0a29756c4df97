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
	Game, Arbiter, White, Black, Start, Variant, Chain string // of the first line
	ID, Shown                                          string
	Event                                              *event
}

func (e *event) has(name, value string) bool {
	return slices.ContainsFunc(e.Tags, func(tag []string) bool { return len(tag) > 1 && tag[0] == name && tag[1] == value })
}

// NIP-01: the id is the hash of the serialized fields, and the signature is of the id.
func (e *event) isSigned() bool {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode([]any{0, e.Pubkey, e.CreatedAt, e.Kind, e.Tags, e.Content})
	// encoding/json escapes these two; NIP-01 does not.
	plain := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(text.String()))
	id := sha256.Sum256([]byte(plain))
	sig, _ := hex.DecodeString(e.Sig)
	key, _ := hex.DecodeString(e.Pubkey)
	signature, err := schnorr.ParseSignature(sig)
	pubkey, errKey := schnorr.ParsePubKey(key)
	return hex.EncodeToString(id[:]) == e.ID && err == nil && errKey == nil && signature.Verify(id[:], pubkey)
}

// Whether a player of this game signed the line's event for it.
func (e *event) isOf(game line, l line) bool {
	isOurs := e.Kind != 20300 && e.Kind != 20303 || e.has("p", game.Arbiter)
	isHere := e.Kind != 20303 || l.Shown == "" || e.has("d", game.Game)
	return e.ID == l.ID && (e.Pubkey == game.White || e.Pubkey == game.Black) && isOurs && isHere && e.isSigned()
}

// The positions by ply, with what this state shows; a takeback leaves fewer.
func follow(positions []*chess.Position, l line) ([]*chess.Position, string) {
	var ply int
	var move, offer, white, black, result, ended string
	if n, _ := fmt.Sscan(l.Shown, &ply, &move, &offer, &white, &black, &result, &ended); n != 7 {
		return positions, "it shows no state"
	}
	if ply >= 0 && ply < len(positions) {
		return positions[:ply+1], ""
	}
	if l.Event != nil && l.Event.Kind == 20303 && !strings.EqualFold(l.Event.Content, move) {
		return positions, "the player signed " + l.Event.Content
	}
	now := positions[len(positions)-1]
	for _, legal := range now.ValidMoves() {
		if legal.String() == move && ply == len(positions) {
			return append(positions, now.Update(&legal)), ""
		}
	}
	return positions, move + " is not legal"
}

func check(lines []line, note *event) string {
	game, states, ids := lines[0], lines[1:], lines[0].Game
	start, err := chess.FEN(game.Start)
	if err != nil || game.Variant != "standard" {
		return "wrong: only standard chess is checked here"
	}
	for _, l := range lines[1:] {
		if l.Event != nil && !l.Event.isOf(game, l) {
			return "wrong: no player signed the event " + l.ID + " for this game"
		}
	}
	for ; len(states) > 0 && states[0].Shown == ""; states = states[1:] {
		ids += states[0].ID
	}
	first, _ := hex.DecodeString(ids)
	chain, shown, missing := sha256.Sum256(first), "", 0
	positions, flaw := []*chess.Position{chess.NewGame(start).Position()}, ""
	for number, l := range states {
		id, _ := hex.DecodeString(l.ID)
		chain, shown = sha256.Sum256(append(append(chain[:], id...), l.Shown...)), l.Shown
		if positions, flaw = follow(positions, l); flaw != "" {
			return fmt.Sprintf("wrong: state %d: %s", number+1, flaw)
		}
		if l.Event == nil && !strings.HasPrefix(l.ID, strings.Repeat("0", 48)) {
			missing++
		}
	}
	if hex.EncodeToString(chain[:]) != game.Chain {
		return "wrong: the links do not lead to the chain of the first line"
	}
	named := note == nil || note.has("d", game.Game) && note.has("p", game.White) && note.has("p", game.Black)
	if note != nil && (!named || !note.isSigned() || note.Pubkey != game.Arbiter || !note.has("chain", game.Chain)) {
		return "wrong: the arbiter signed another history"
	}
	return fmt.Sprintf("right: %d half-moves, %d events missing, %s", len(positions)-1, missing, shown)
}

func read(path string) (lines []line, err error) {
	file, _ := os.ReadFile(path)
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(io.LimitReader(unpacked, 8<<20)); err == nil; {
		lines = append(lines, line{})
		err = decoder.Decode(&lines[len(lines)-1])
	}
	if err != io.EOF || len(lines) < 2 {
		return nil, fmt.Errorf("not a transcript: %v", err)
	}
	return lines[:len(lines)-1], nil
}

func main() {
	var note *event
	lines, err := read(os.Args[1])
	if err == nil && len(os.Args) > 2 {
		text, _ := os.ReadFile(os.Args[2])
		err = json.Unmarshal(text, &note)
	}
	told := fmt.Sprint("wrong: ", err)
	if err == nil {
		told = check(lines, note)
	}
	fmt.Println(told)
	if strings.HasPrefix(told, "wrong") {
		os.Exit(1)
	}
}
