import type { AccountClient } from '../../chains/accounts.js';
import { ChainUnavailable, type NodeClient } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { RpcRefusal } from '../../chains/rpc/json-rpc.js';
import { type ChainSource, ChainRegistry } from '../../chains/registry.js';
import { parseRpcEndpoint } from '../../chains/rpc/rpc-endpoint.js';
import { verifyTokens } from '../../chains/token-check.js';
import { isEvmNetwork } from '../../domain/network.js';
import type { Config } from '../../platform/config.js';
import { commandChains } from '../chain-sources.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const LAG_MAX_MS = 30_000;
/** Usual are 32 slots of solana and 19 blocks of tron; where few vote, blocks become final later. */
const FINALITY_BLOCKS_MAX = 150;
/** A payment to an address of yesterday must still be explained. */
const HISTORY_MIN_MS = 2 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Asks each node of solana and tron for what the listener needs of it. */
export async function checkChainNodes(config: Config): Promise<Finding[]> {
  const sources = (await commandChains(config)).filter(({ profile }) => !isEvmNetwork(profile.network));
  const nodes = sources.flatMap((source) => source.rpcUrls.map((url) => ({ ...source, rpcUrls: [url] })));
  return (await Promise.all(nodes.map(checkNode))).flat();
}

async function checkNode(source: ChainSource): Promise<Finding[]> {
  const registry = new ChainRegistry([source]);
  const { profile, rpcUrls } = source;
  const name = `node ${profile.environment}/${profile.network}`;
  const label = parseRpcEndpoint(rpcUrls[0] ?? '').label;
  const examined = { profile, name, label };
  try {
    const [chain] = registry.all();
    if (chain === undefined) return [];
    return chain.reading === 'accounts'
      ? await chain.nodes.attempt(({ client }) => examineAccounts(client, examined))
      : await chain.nodes.attempt(({ client }) => examineBlocks(client, examined));
  } catch (error) {
    if (!(error instanceof ChainUnavailable) && !(error instanceof RpcRefusal)) throw error;
    return [fail(name, error.message, `check its URL; the listener reads nothing from ${label} meanwhile`)];
  } finally {
    await registry.close();
  }
}

interface Examined {
  readonly profile: NetworkProfile;
  readonly name: string;
  /** The node by scheme, host and port. */
  readonly label: string;
}

/** How far a node is behind, in ms, and its newest final block, in blocks; with what is wrong about it. */
interface Progress {
  readonly lagMs: number;
  readonly behind: number;
  readonly findings: readonly Finding[];
}

async function examineBlocks(client: NodeClient, examined: Examined): Promise<Finding[]> {
  const { lagMs, behind, findings } = await progressOf(client, examined);
  const all = [...findings, ...(await tokenFindings(client, examined))];
  if (all.length > 0) return all;
  const { name, label } = examined;
  return [ok(name, `${label}, ${seconds(lagMs)} behind, final ${behind} blocks below its head`)];
}

async function examineAccounts(client: AccountClient, examined: Examined): Promise<Finding[]> {
  const { name, label } = examined;
  const { version, oldest } = await client.facts();
  const { lagMs, behind, findings } = await progressOf(client, examined);
  const all = [...findings, ...historyFindings(oldest, examined), ...(await tokenFindings(client, examined))];
  if (all.length > 0) return all;
  return [ok(name, `${label}, version ${version}, ${seconds(lagMs)} behind, final ${behind} slots below its head`)];
}

async function progressOf(client: NodeClient, { name, label, profile }: Examined): Promise<Progress> {
  const head = await client.head();
  const behind = head.height - (await client.finalizedHeight(head));
  const lagMs = Date.now() - head.time.getTime();
  const findings: Finding[] = [];
  if (lagMs > LAG_MAX_MS) {
    findings.push(
      warn(name, `${label} is ${seconds(lagMs)} behind`, 'use a node that is in sync, or wait until it is'),
    );
  }
  if (behind > FINALITY_BLOCKS_MAX) {
    const unit = profile.addressFamily === 'solana' ? 'slots' : 'blocks';
    findings.push(warn(name, `finality is ${behind} ${unit} behind ${label}`, 'credits wait for the network'));
  }
  return { lagMs, behind, findings };
}

/** A chain that is younger has its whole history. */
function historyFindings(
  oldest: Awaited<ReturnType<AccountClient['facts']>>['oldest'],
  { name, label }: Examined,
): Finding[] {
  const kept = oldest === null ? null : Date.now() - oldest.time.getTime();
  const isWhole = oldest !== null && oldest.height === 0;
  if (isWhole || (kept !== null && kept >= HISTORY_MIN_MS)) return [];
  const age = kept === null ? 'no block that it names' : `the last ${(kept / DAY_MS).toFixed(1)} days`;
  return [warn(name, `${label} has ${age} only`, 'use a node that keeps the history of addresses')];
}

async function tokenFindings(client: NodeClient, { name, profile }: Examined): Promise<Finding[]> {
  return (await verifyTokens(client, profile)).map(({ token, decimalsOnChain }) => {
    const found = decimalsOnChain === null ? 'is no token' : `has ${decimalsOnChain} decimals`;
    const detail = `${token.contract} (${token.symbol}) ${found}, and ${token.decimals} are listed`;
    return fail(name, detail, 'the token is off: point the RPC URL at the right chain');
  });
}

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
