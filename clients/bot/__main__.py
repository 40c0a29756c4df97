"""`make bot`: plays by an engine until Ctrl-C."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chess.engine

from arbiter.nostr.keys import SecretKey
from clients.bot.config import Config, ConfigError, read_config
from clients.bot.player import Player, play_over
from clients.bot.programs import run_dir, run_until_told, sayer
from clients.bot.strength import LEVELS
from clients.player.address import RELAYS_HELP, Address, address
from clients.player.keys import load_key


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 2 for what the operator can mend."""
    options = _options(sys.argv[1:] if arguments is None else arguments)
    try:
        config = _config(options)
        there = address(options.relays, options.server, run_dir())
        keys = [
            load_key(_key_path(options, config.name, number))
            for number in range(config.challenge.concurrency)
        ]
    except (OSError, ValueError) as error:
        print(f"bot: {error}", file=sys.stderr)
        return 2
    code = 0
    try:
        run_until_told(_play(config, options.level, keys, there))
    except* (OSError, TimeoutError, chess.engine.EngineError) as errors:
        why = errors.exceptions[0]
        print(f"bot: the engine {config.engine.name} does not start: {why}", file=sys.stderr)
        code = 2
    return code


async def _play(
    config: Config, level: int | None, keys: Sequence[SecretKey], there: Address
) -> None:
    """A player has one game at a time: games at once are as many players."""
    names = [_numbered(config.name, number, " ") for number in range(len(keys))]
    players = [
        Player(
            replace(config, name=name),
            level,
            key,
            there.arbiter,
            sayer(name),
            gateway=there.gateway,
        )
        for name, key in zip(names, keys, strict=True)
    ]
    await play_over(there, players, sayer(config.name))


def _numbered(name: str, number: int, between: str) -> str:
    return f"{name}{between}{number + 1}" if number else name


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m clients.bot", description=__doc__)
    parser.add_argument("--engine", help="`plain`, or the command of any UCI engine")
    parser.add_argument("--name", help="the bot's name; its key is NAME.key")
    parser.add_argument("--level", type=int, choices=LEVELS, help="1 to 8")
    parser.add_argument("--config", type=Path, help="a TOML file")
    parser.add_argument("--key", type=Path, help="the key's file, made on first use")
    parser.add_argument("--relays", help=RELAYS_HELP)
    parser.add_argument("--server", help="the arbiter's npub")
    return parser.parse_args(words)


def _config(options: argparse.Namespace) -> Config:
    config = _config_in(options.config) if options.config else Config()
    if options.engine:
        config = replace(config, engine=replace(config.engine, name=options.engine))
    if options.name:
        config = replace(config, name=options.name)
    return config


def _config_in(path: Path) -> Config:
    try:
        return read_config(path.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8: save it as that") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _key_path(options: argparse.Namespace, name: str, number: int) -> Path:
    if options.key:
        key: Path = options.key
        return key.with_name(_numbered(key.stem, number, "-") + key.suffix)
    folder = run_dir() / "bots"
    plain = "".join(letter if letter.isalnum() else "-" for letter in name)
    return folder / f"{_numbered(plain, number, '-')}.key"


if __name__ == "__main__":
    sys.exit(main())
