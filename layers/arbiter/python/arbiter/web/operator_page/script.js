// The operator's page: figures and changes, each request signed by the operator's key (NIP-98).
const at = (id) => document.getElementById(id);
const form = at('change');

function say(text, isBad = false) {
  at('said').textContent = text;
  at('said').className = isBad ? 'bad' : '';
}

const hex = (bytes) => [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, '0')).join('');

async function ask(method, path, body = '') {
  if (!window.nostr) throw new Error('There is no signer here: unlock your extension (NIP-07), and load this page again.');
  // A signature is taken once: two looks within a second would be one event.
  const tags = [['u', location.origin + path], ['method', method], ['nonce', hex(crypto.getRandomValues(new Uint8Array(8)))]];
  if (body) tags.push(['payload', hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))]);
  const event = await window.nostr.signEvent({
    kind: 27235, created_at: Math.floor(Date.now() / 1000), tags, content: '',
  });
  const octets = new TextEncoder().encode(JSON.stringify(event));
  const headers = { Authorization: `Nostr ${btoa(String.fromCharCode(...octets))}` };
  if (body) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, { method, headers, body: body || undefined, credentials: 'omit' });
  if (answer.status === 404) throw new Error('This key is not the operator’s.');
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail);
  return said;
}

const time = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');

let names = {};

/** A line with the names of players beside their keys, and a button for each command. */
function line(said, ...commands) {
  const text = said.replace(/npub1[0-9a-z]{58}/g, (npub) => (names[npub] ? `${npub} (${names[npub]})` : npub));
  const item = document.createElement('li');
  item.append(`${text} `);
  for (const command of commands) {
    const button = document.createElement('button');
    button.type = 'button';
    const name = command.days === 0 ? 'none' : command.word;
    button.textContent = name;
    button.setAttribute('aria-label', `${name}: ${text}`);
    button.onclick = () => change(command);
    item.append(button);
  }
  return item;
}

function policyLines(policy) {
  const lines = policy.denied.map((one) => line(
    `denied ${one.key}${one.reason && `: ${one.reason}`}${one.until ? `, until ${time(one.until)} UTC` : ''}`,
    { word: 'admit', keys: [one.key] },
  ));
  for (const key of policy.allowed ?? []) lines.push(line(`member ${key}`, { word: 'disallow', keys: [key] }));
  if (policy.group) lines.push(line(`members of the group ${policy.group}`, { word: 'disallow', keys: [] }));
  if (policy.allowed) lines.push(line('only members may play', { word: 'disallow', keys: [] }));
  for (const key of policy.hidden) lines.push(line(`hidden ${key}`, { word: 'show', keys: [key] }));
  for (const key of policy.void_keys) lines.push(line(`void ${key}`, { word: 'count', keys: [key] }));
  for (const pair of policy.void_pairs) lines.push(line(`void between ${pair.join(' and ')}`, { word: 'count', keys: pair }));
  if (policy.notices) lines.push(line('players are told of their turn', { word: 'quiet', keys: [] }));
  if (policy.vacation_days) lines.push(line(`${policy.vacation_days} days of vacation a year in each game by days`, { word: 'vacation', keys: [], days: 0 }));
  const { closed } = policy;
  if (closed) lines.push(line(
    `closed from ${time(closed.from)} UTC${closed.until ? ` until ${time(closed.until)} UTC` : ''}: ${closed.text}`,
    { word: 'open', keys: [] },
  ));
  return lines.length ? lines : [line('everybody may play')];
}

function figureRows({ figures, health }) {
  const rows = [['games', `${figures.games}${figures.more_games ? ' and more' : ''}`]];
  for (const [name, value] of Object.entries(figures)) {
    if (!['games', 'more_games'].includes(name)) rows.push([name, value ?? 'unknown']);
  }
  for (const queue of health.queues) {
    const age = queue.oldest_seconds ? `, the oldest ${queue.oldest_seconds} s` : '';
    rows.push([`waiting in ${queue.name}`, `${queue.waiting ?? 'unknown'}${age}`]);
  }
  for (const relay of health.relays) rows.push([relay.url, relay.trouble ?? 'reached']);
  rows.push(['faults now', health.faults.join(', ') || 'none']);
  return rows.map(([name, value]) => {
    const row = document.createElement('tr');
    const [head, cell] = [document.createElement('th'), document.createElement('td')];
    head.scope = 'row';
    head.textContent = name;
    cell.textContent = value;
    row.append(head, cell);
    return row;
  });
}

function show(state) {
  ({ names } = state);
  at('figures').replaceChildren(...figureRows(state));
  at('policy').replaceChildren(...policyLines(state.policy));
  at('changes').replaceChildren(...state.policy.changes.map((one) => line(`${time(one.at)} UTC, ${one.by}: ${one.said}`)));
  at('reports').replaceChildren(...(state.reports?.length ? state.reports.map(reportLine) : [line('none')]));
  at('all').hidden = false;
}

function reportLine(one) {
  const chat = one.chat.map((said) => ` “${said}”`).join('');
  return line(
    `${time(one.at)} UTC, ${one.by} about ${one.player}${one.game ? `, game ${one.game}` : ''}: ${one.type} ${one.text}${chat}`
      + ` (${one.early_ends} early ends in the hour before)`,
    { word: 'deny', keys: [one.player], reason: one.type },
  );
}

async function run(work, done) {
  say('Sign this in your extension.');
  try {
    const state = await work();
    show(state);
    say(done(state));
  } catch (error) {
    say(error.message, true);
  }
}

function change(command) {
  const rated = ['void', 'count'].includes(command.word);
  return run(
    () => ask('POST', '/operator/policy', JSON.stringify(command)),
    (state) => (rated && !state.rates_by_itself
      ? 'Done. Compute the ratings again: make policy ARGS=rate'
      : 'Done. It is obeyed everywhere within a minute.'),
  );
}

at('look').onclick = () => run(() => ask('GET', '/operator/state'), (state) => `As of ${time(state.now)} UTC.`);

form.onsubmit = (submitted) => {
  submitted.preventDefault();
  const field = (name) => form.elements.namedItem(name);
  const seconds = (name) => (field(name).value ? Math.floor(new Date(field(name).value) / 1000) : undefined);
  change({
    word: field('word').value,
    keys: field('keys').value.split(/[\s,]+/).filter(Boolean),
    reason: field('reason').value,
    from: seconds('from'),
    until: seconds('until'),
    ends_games: field('ends_games').checked,
    ...(field('word').value === 'vacation' && { days: Number(field('days').value) }),
  });
};
