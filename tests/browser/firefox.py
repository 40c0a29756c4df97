"""Starts the machine's Firefox for Playwright, which speaks WebDriver BiDi to it.

Playwright sends commands of newer releases than Debian's, such as to emulate a colour scheme, and
gives up at "unknown command". Those that no test needs are answered here, on the way; the rest goes
through. Playwright runs this file in the place of the browser:

    firefox.py --profile … --remote-debugging-port=0 …
"""

import asyncio
import json
import os
import re
import shutil
import signal
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

NOT_NEEDED = {"emulation.setMediaFeaturesOverride"}

_LISTENING = re.compile(rb"(WebDriver BiDi listening on ws://127\.0\.0\.1:)(\d+)")


def installed_firefox() -> str | None:
    """The browser on the PATH; None if there is none."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


async def pass_on(client: ServerConnection, port: int) -> None:
    """Carry messages both ways until one side hangs up."""
    path = client.request.path if client.request else "/session"
    async with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as browser:

        async def to_browser() -> None:
            async for message in client:
                command = json.loads(message)
                if command["method"] in NOT_NEEDED:
                    answer = {"type": "success", "id": command["id"], "result": {}}
                    await client.send(json.dumps(answer))
                else:
                    await browser.send(message)

        async def to_client() -> None:
            async for message in browser:
                await client.send(message)

        ways = [asyncio.create_task(way()) for way in (to_browser, to_client)]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()


async def main() -> int:
    """Run the browser; its exit status."""
    program = installed_firefox()
    if program is None:
        sys.stderr.write("There is no Firefox on this machine (Debian: apt install firefox-esr)\n")
        return 1
    browser = await asyncio.create_subprocess_exec(
        program, *sys.argv[1:], stderr=asyncio.subprocess.PIPE
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, browser.terminate)
    assert browser.stderr is not None
    port = 0
    async with serve(lambda client: pass_on(client, port), "127.0.0.1", 0, max_size=None) as server:
        here = server.sockets[0].getsockname()[1]
        async for line in browser.stderr:
            if found := _LISTENING.search(line):
                port = int(found[2])
            os.write(sys.stderr.fileno(), _LISTENING.sub(rb"\g<1>%d" % here, line))
        return await browser.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
