module arbiter/verify

go 1.22.0

require (
	github.com/btcsuite/btcd/btcec/v2 v2.3.4
	github.com/corentings/chess/v2 v2.3.2
)

require (
	github.com/btcsuite/btcd/chaincfg/chainhash v1.0.1 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.0.0 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.0.1 // indirect
	golang.org/x/exp v0.0.0-20250128182459-e0ece0dbea4c // indirect
)
