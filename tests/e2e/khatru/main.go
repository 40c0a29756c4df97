// A second relay of a different make: khatru, keeping notes in memory and ephemeral events nowhere.
//
// Usage: khatru HOST:PORT. It forgets everything when it stops: players who come back find a relay
// that has never heard of their game.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/fiatjaf/eventstore/slicestore"
	"github.com/fiatjaf/khatru"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: khatru HOST:PORT")
	}
	notes := &slicestore.SliceStore{}
	if err := notes.Init(); err != nil {
		log.Fatal(err)
	}
	relay := khatru.NewRelay()
	relay.StoreEvent = append(relay.StoreEvent, notes.SaveEvent)
	relay.QueryEvents = append(relay.QueryEvents, notes.QueryEvents)
	relay.DeleteEvent = append(relay.DeleteEvent, notes.DeleteEvent)
	log.Fatal(http.ListenAndServe(os.Args[1], relay))
}
