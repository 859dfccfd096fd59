import type { SimulatedNetwork } from '../../devtools/devnet/simulated-network.js';
import { isEvmNetwork, NATIVE_COIN } from '../../domain/network.js';
import { redactApiKey } from '../../domain/api-key.js';
import { writeSecretFile } from '../../platform/data-dir.js';
import { attentionLines, type Trouble } from './attention.js';
import { dataFilesOf } from './data-files.js';

/** The entry of one development chain in `sandbox.json`. */
export type SandboxChain = Pick<SimulatedNetwork, 'network' | 'rpcUrl' | 'chainId' | 'coin' | 'tokens' | 'faucet'>;

/** Everything that a client on this machine needs to use the sandbox. */
export interface SandboxInfo {
  /** Without `/v1` at the end. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly merchantId: string;
  readonly chains: readonly SandboxChain[];
  /** Who signs in to the console. The password is null once its owner has set another one. */
  readonly admin: { readonly email: string; readonly password: string | null };
  /** Ids of the merchant's pockets by network and token; pockets that are not open yet are missing. */
  readonly pockets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The content of the startup banner. */
export interface FirstRunInfo extends SandboxInfo {
  readonly version: string;
  /** Milliseconds from the start of the process until payments could be collected; null when they cannot yet. */
  readonly readyMs: number | null;
  readonly dataDir: string;
  /** True when this start created the key: it is shown only this time. */
  readonly isNewKey: boolean;
  /** The same for the administrator's password. */
  readonly isNewAdmin: boolean;
  /** Null when the database is not the embedded one. */
  readonly databasePort: number | null;
  /** The state of a network's listener, such as `ok`; a missing network has no state yet. */
  readonly listeners: Readonly<Partial<Record<string, string>>>;
  /** Shown last, where they are most visible. */
  readonly troubles: readonly Trouble[];
}

/** Writes `sandbox.json`, readable only by its owner. Returns its path. */
export async function writeSandboxFile(dataDir: string, info: SandboxInfo): Promise<string> {
  const path = dataFilesOf(dataDir).sandbox;
  const content = {
    api_url: info.apiUrl,
    api_key: info.apiKey,
    merchant_id: info.merchantId,
    admin: { url: `${info.apiUrl}/admin`, ...info.admin },
    networks: Object.fromEntries(
      info.chains.map((chain) => [
        chain.network,
        { ...sandboxNetwork(chain), pockets: info.pockets[chain.network] ?? {} },
      ]),
    ),
  };
  await writeSecretFile(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

function sandboxNetwork({ network, rpcUrl, chainId, coin, tokens, faucet }: SandboxChain): Record<string, unknown> {
  const listed = Object.entries(tokens).map(([symbol, { address, decimals }]) => [symbol, { address, decimals }]);
  return {
    rpc_url: rpcUrl,
    chain_id: chainId,
    tokens: {
      ...Object.fromEntries(listed),
      [coin.symbol]: { address: isEvmNetwork(network) ? null : NATIVE_COIN, decimals: coin.decimals },
    },
    faucet: { address: faucet.address, private_key: faucet.privateKey },
  };
}

/** The banner that `npm start` prints once everything runs: addresses, and first steps. Ends with a line break. */
export function firstRunBanner(info: FirstRunInfo): string {
  const lines = [
    `Coffer ${info.version} · sandbox · ${info.readyMs === null ? 'NOT READY, see Health' : `ready in ${secondsText(info.readyMs)}`}`,
    '',
    row('API', `${info.apiUrl}/v1`),
    row('API docs', `${info.apiUrl}/docs`, 'openapi.json · openapi.yaml'),
    adminRow(info),
    row('Health', `${info.apiUrl}/health/ready`),
    ...chainRows(info),
    databaseRow(info),
    keyRow(info),
    '',
    row('Next', 'npm run demo', 'an intent, its payment on chain, a withdrawal, and their webhooks'),
    row('By hand', 'copy and paste:'),
    '',
    ...tourLines(info).map((line) => `  ${line}`),
    '',
    ...resetLines(info),
    ...attentionLines(info.troubles).flatMap((line, index) => (index === 0 ? ['', line] : [line])),
  ];
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

/** The second account of the well-known test key of Ethereum tools. */
const TOUR_DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const LABEL_WIDTH = 13;
const VALUE_WIDTH = 34;

function row(label: string, value: string, note = ''): string {
  const start = label.padEnd(LABEL_WIDTH);
  return note === '' ? start + value : `${start}${value.padEnd(VALUE_WIDTH)}  ${note}`;
}

function chainRows({ chains, listeners }: FirstRunInfo): string[] {
  const width = Math.max(0, ...chains.map((chain) => chain.network.length));
  return chains.map((chain, index) => {
    const symbols = [...Object.keys(chain.tokens), chain.coin.symbol].join(', ');
    const place = `${chain.network.padEnd(width)}  ${chain.rpcUrl}`;
    const note = `chain ${chain.chainId}, test ${symbols}, listener ${listeners[chain.network] ?? 'unknown'}`;
    return row(index === 0 ? 'Dev chains' : '', place, note);
  });
}

function databaseRow({ databasePort, dataDir }: FirstRunInfo): string {
  if (databasePort === null) return row('PostgreSQL', 'of DATABASE_URL');
  return row('PostgreSQL', `embedded, port ${databasePort}`, `data in ${dataFilesOf(dataDir).postgres}`);
}

function keyRow({ apiKey, isNewKey, dataDir }: FirstRunInfo): string {
  const path = dataFilesOf(dataDir).sandbox;
  if (isNewKey) return row('API key', apiKey, `shown once; kept in ${path}`);
  return row('API key', redactApiKey(apiKey), `whole in ${path}`);
}

function adminRow({ apiUrl, admin: { email, password }, isNewAdmin, dataDir }: FirstRunInfo): string {
  const path = dataFilesOf(dataDir).sandbox;
  const shown =
    password === null
      ? `${email}, with the password that you have set`
      : isNewAdmin
        ? `${email} / ${password}, shown once; kept in ${path}`
        : `${email}, password in ${path}`;
  return row('Console', `${apiUrl}/admin`, shown);
}

/**
 * The shortest path by hand to a payment and a withdrawal: plain sh, with only curl, grep and head. The key is read from
 * its file, so that the lines work after every start and the key stays out of the shell's history.
 */
function tourLines({ apiUrl, dataDir, chains, pockets }: FirstRunInfo): string[] {
  const chain = chains.find(({ network }) => network === 'polygon') ?? chains[0];
  const [token = 'USDC'] = Object.keys(chain?.tokens ?? {});
  const pocket = pockets[chain?.network ?? '']?.[token];
  const body = JSON.stringify({ amount_cents: 2500, currency: 'USD', network: chain?.network ?? 'polygon', token });
  return [
    `API=${apiUrl}/v1`,
    `KEY=$(grep -o 'sk_sb_[0-9A-Za-z]*' ${shellQuoted(dataFilesOf(dataDir).sandbox)})`,
    `post() { curl -sS -X POST "$API/$1" -H "Authorization: Bearer $KEY" -H "Idempotency-Key: $1-$(date +%s)" \\`,
    `  -H 'Content-Type: application/json' -d "$2"; echo; }`,
    `ID=$(post payment-intents '${body}' \\`,
    `  | grep -o 'pi_[0-9a-z]*' | head -n 1); echo "$ID"`,
    `post "payment-intents/$ID/generate-address" '{}'`,
    `post "sandbox/payment-intents/$ID/pay" '{}'`,
    `sleep 8; curl -sS "$API/payment-intents/$ID" -H "Authorization: Bearer $KEY"; echo`,
    ...withdrawalLines(pocket),
  ];
}

/** Withdraws 10 of the 25 dollars; empty while the pocket is not open yet. */
function withdrawalLines(pocket: string | undefined): string[] {
  if (pocket === undefined) return [];
  const body = JSON.stringify({ pocket_id: pocket, amount_cents: 1000, destination: TOUR_DESTINATION });
  return [
    `WD=$(post withdrawals '${body}' \\`,
    `  | grep -o 'wd_[0-9a-z]*' | head -n 1); echo "$WD"`,
    `sleep 15; curl -sS "$API/withdrawals/$WD" -H "Authorization: Bearer $KEY"`,
  ];
}

/** How to empty the sandbox. The vault file holds the keys of every address, so it is never removed. */
function resetLines({ dataDir, databasePort }: FirstRunInfo): string[] {
  const { postgres, devnet, sandbox } = dataFilesOf(dataDir);
  const isEmbedded = databasePort !== null;
  const emptied = [...(isEmbedded ? [postgres] : []), devnet, sandbox].map(shellQuoted).join(' ');
  return [
    isEmbedded
      ? 'Ctrl+C stops everything. To empty the sandbox, stop it and run:'
      : 'Ctrl+C stops everything. To start again, stop it, set DATABASE_URL to an empty database, and run:',
    `  rm -rf ${emptied}`,
    `Keep the rest of ${dataDir}: vault.json holds the keys of every address.`,
  ];
}

/** Quotes a text for sh, unless it is a plain name. */
function shellQuoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function secondsText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
