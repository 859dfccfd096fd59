import { Interface } from 'ethers';

/** Source: docs.chain.link, "API Reference: AggregatorV3Interface". */
const AGGREGATOR = new Interface([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);

/** Calldata that reads the latest round of a Chainlink feed. */
export const LATEST_ROUND_CALL = AGGREGATOR.encodeFunctionData('latestRoundData');

/** One round of a feed. */
export interface FeedRound {
  /** The price, in units of the feed's own decimals. */
  readonly answer: bigint;
  /** Seconds since 1970. */
  readonly updatedAt: bigint;
}

/** Decodes the answer to `LATEST_ROUND_CALL`; null when the address has no contract, or one that is no feed. */
export function readLatestRound(result: unknown): FeedRound | null {
  try {
    const [, answer, , updatedAt] = AGGREGATOR.decodeFunctionResult('latestRoundData', String(result));
    return { answer: BigInt(answer), updatedAt: BigInt(updatedAt) };
  } catch {
    return null;
  }
}
