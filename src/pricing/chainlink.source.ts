import { ChainUnavailable } from '../chains/chain.js';
import { LATEST_ROUND_CALL, readLatestRound } from '../chains/evm/price-feed-call.js';
import { JsonRpc } from '../chains/rpc/json-rpc.js';
import { formatUnits } from '../domain/money.js';
import type { EvmNetwork } from '../domain/network.js';
import type { ChainlinkFeed } from './chainlink-feeds.js';
import { epochMs, type PriceSource, type SourceAnswer, type SourceAnswers, SourceFault } from './price-source.js';

const TIMEOUT_MS = 4_000;
const NO_ANSWER: SourceAnswer = { silence: 'no_answer' };
const FEED_DECIMALS = 8;
/** A Chainlink round begins when the heartbeat is over, and takes a moment to be mined. */
const HEARTBEAT_SLACK_MS = 300_000;

/** A network whose feeds are read. */
export interface FeedNetwork {
  readonly network: EvmNetwork;
  /** Decimal, as its nodes must report it: the same address on another chain is another contract. */
  readonly chainId: string;
  /** In the order they are tried. */
  readonly rpcUrls: readonly string[];
}

/**
 * Chainlink's price feeds, read over our own nodes, one batch per network. They are updated once an hour or once a day
 * unless the price moves, so they only veto.
 */
export class ChainlinkSource implements PriceSource {
  readonly name = 'chainlink';
  readonly quotedIn = 'USD';
  readonly role = 'reference';
  private readonly feeds: ReadonlyMap<string, ChainlinkFeed>;
  private readonly nodes: ReadonlyMap<EvmNetwork, { readonly chainId: string; readonly rpcs: readonly JsonRpc[] }>;

  constructor(feeds: readonly ChainlinkFeed[], networks: readonly FeedNetwork[]) {
    this.nodes = new Map(
      networks.map(({ network, chainId, rpcUrls }) => [
        network,
        { chainId, rpcs: rpcUrls.map((url) => new JsonRpc(url, { timeoutMs: TIMEOUT_MS })) },
      ]),
    );
    const readable = feeds.filter(({ network }) => this.nodes.has(network));
    this.feeds = new Map(readable.toReversed().map((feed) => [feed.token, feed]));
  }

  lists(token: string): boolean {
    return this.feeds.has(token);
  }

  maxAgeMs(token: string): number {
    return (this.feeds.get(token)?.heartbeatSeconds ?? 0) * 1000 + HEARTBEAT_SLACK_MS;
  }

  async ask(tokens: readonly string[]): Promise<SourceAnswers> {
    const feeds = tokens.flatMap((token) => this.feeds.get(token) ?? []);
    const byNetwork = Map.groupBy(feeds, ({ network }) => network);
    const asked = await Promise.all([...byNetwork].map(([network, its]) => this.askNetwork(network, its)));
    const answered = asked.filter((answers) => answers !== null);
    if (feeds.length > 0 && answered.length === 0)
      throw new SourceFault('no_answer', 'No node answered about any feed.');
    return new Map([...feeds.map(({ token }) => [token, NO_ANSWER] as const), ...answered.flat()]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.nodes.values()].flatMap(({ rpcs }) => rpcs.map((rpc) => rpc.close())));
  }

  /** Returns null when no node answers: the feeds of the other networks stay in use. */
  private async askNetwork(
    network: EvmNetwork,
    feeds: readonly ChainlinkFeed[],
  ): Promise<readonly (readonly [string, SourceAnswer])[] | null> {
    const { chainId = '', rpcs = [] } = this.nodes.get(network) ?? {};
    for (const rpc of rpcs) {
      try {
        return await readFeeds(rpc, chainId, feeds);
      } catch (error) {
        if (!(error instanceof ChainUnavailable || error instanceof SourceFault)) throw error;
      }
    }
    return null;
  }
}

async function readFeeds(
  rpc: JsonRpc,
  chainId: string,
  feeds: readonly ChainlinkFeed[],
): Promise<readonly (readonly [string, SourceAnswer])[]> {
  const [reported, ...rounds] = await rpc.batch([
    { method: 'eth_chainId', params: [] },
    ...feeds.map(({ contract }) => ({
      method: 'eth_call',
      params: [{ to: contract, data: LATEST_ROUND_CALL }, 'latest'],
    })),
  ]);
  if (typeof reported !== 'string' || !/^0x[0-9a-f]+$/i.test(reported) || BigInt(reported).toString() !== chainId) {
    throw new SourceFault('no_answer', 'A node serves another chain.');
  }
  return feeds.map(({ token }, index) => [token, answerOf(rounds[index])] as const);
}

function answerOf(result: unknown): SourceAnswer {
  const round = readLatestRound(result);
  const observedAtMs = round === null ? null : epochMs(String(round.updatedAt));
  if (round === null || observedAtMs === null) return { silence: 'not_a_price' };
  return { value: formatUnits(round.answer, FEED_DECIMALS), observedAtMs };
}
