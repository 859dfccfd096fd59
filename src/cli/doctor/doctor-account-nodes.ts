import type { AccountClient } from '../../chains/accounts.js';
import { ChainUnavailable } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { RpcRefusal } from '../../chains/rpc/json-rpc.js';
import { type ChainSource, ChainRegistry } from '../../chains/registry.js';
import { parseRpcEndpoint } from '../../chains/rpc/rpc-endpoint.js';
import { verifyTokens } from '../../chains/token-check.js';
import type { Config } from '../../platform/config.js';
import { commandChains } from '../chain-sources.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const LAG_MAX_MS = 30_000;
/** Usual is 32; a cluster that votes badly finalises later. */
const FINALITY_SLOTS_MAX = 150;
/** A payment to an address of yesterday must still be explained. */
const HISTORY_MIN_MS = 2 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Asks each node of the networks that are read by accounts for what the listener needs of it. */
export async function checkAccountNodes(config: Config): Promise<Finding[]> {
  const sources = await commandChains(config);
  const nodes = sources.flatMap((source) => source.rpcUrls.map((url) => ({ ...source, rpcUrls: [url] })));
  return (await Promise.all(nodes.map(checkNode))).flat();
}

async function checkNode(source: ChainSource): Promise<Finding[]> {
  const registry = new ChainRegistry([source]);
  const { profile, rpcUrls } = source;
  const name = `node ${profile.environment}/${profile.network}`;
  const label = parseRpcEndpoint(rpcUrls[0] ?? '').label;
  try {
    const [chain] = registry.all();
    if (chain?.reading !== 'accounts') return [];
    return await chain.nodes.attempt(({ client }) => examine(client, profile, { name, label }));
  } catch (error) {
    if (!(error instanceof ChainUnavailable) && !(error instanceof RpcRefusal)) throw error;
    return [fail(name, error.message, `check its URL; the listener reads nothing from ${label} meanwhile`)];
  } finally {
    await registry.close();
  }
}

interface Examined {
  readonly name: string;
  /** The node by scheme, host and port. */
  readonly label: string;
}

async function examine(client: AccountClient, profile: NetworkProfile, { name, label }: Examined): Promise<Finding[]> {
  const { version, oldest } = await client.facts();
  const head = await client.head();
  const behind = head.height - (await client.finalizedHeight(head));
  const lagMs = Date.now() - head.time.getTime();
  const kept = oldest === null ? null : Date.now() - oldest.time.getTime();
  const findings: Finding[] = [];
  if (lagMs > LAG_MAX_MS) {
    findings.push(
      warn(name, `${label} is ${seconds(lagMs)} behind`, 'use a node that is in sync, or wait until it is'),
    );
  }
  if (behind > FINALITY_SLOTS_MAX) {
    findings.push(warn(name, `finality is ${behind} slots behind ${label}`, 'credits wait for the network'));
  }
  // A chain that is younger has its whole history.
  const isWhole = oldest !== null && oldest.height === 0;
  if (!isWhole && (kept === null || kept < HISTORY_MIN_MS)) {
    const age = kept === null ? 'no block that it names' : `the last ${(kept / DAY_MS).toFixed(1)} days`;
    findings.push(warn(name, `${label} has ${age} only`, 'use a node that keeps the history of addresses'));
  }
  for (const { token, decimalsOnChain } of await verifyTokens(client, profile)) {
    const found = decimalsOnChain === null ? 'is no token' : `has ${decimalsOnChain} decimals`;
    const detail = `${token.contract} (${token.symbol}) ${found}, and ${token.decimals} are listed`;
    findings.push(fail(name, detail, 'the token is off: point the RPC URL at the right chain'));
  }
  if (findings.length > 0) return findings;
  return [ok(name, `${label}, version ${version}, ${seconds(lagMs)} behind, final ${behind} slots below its head`)];
}

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
