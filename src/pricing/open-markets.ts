import type { SourceAnswer, SourceAnswers } from './price-source.js';

/** How long a market is left out that the source does not have: delistings are rare, and listings too. */
const LEFT_OUT_MS = 3_600_000;

/** The source does not have one of the markets of a request, and answered about none. */
export class UnknownMarket extends Error {}

type Ask = (markets: readonly string[]) => Promise<SourceAnswers>;

/**
 * The markets of a source that answers about many at once, and about none of them when a single one does not exist. A
 * market that was closed is found and left out, so that the prices of the others survive.
 */
export class OpenMarkets {
  private readonly leftOutUntil = new Map<string, number>();

  /** `markets`: the source's own name of each token's market. */
  constructor(private readonly markets: Readonly<Record<string, string>>) {}

  lists(token: string): boolean {
    return this.markets[token] !== undefined;
  }

  /** `ask` receives names of markets and answers by them; it throws `UnknownMarket` when one of them does not exist. */
  async answers(tokens: readonly string[], ask: Ask): Promise<SourceAnswers> {
    const open = new Map(
      tokens.flatMap((token) => {
        const market = this.markets[token];
        return market === undefined || this.isLeftOut(market) ? [] : [[token, market] as const];
      }),
    );
    if (open.size === 0) return new Map();
    const byMarket = await this.together([...open.values()], ask);
    const byToken = new Map<string, SourceAnswer>();
    for (const [token, market] of open) {
      const answer = byMarket.get(market);
      if (answer !== undefined) byToken.set(token, answer);
    }
    return byToken;
  }

  private async together(markets: readonly string[], ask: Ask): Promise<SourceAnswers> {
    try {
      return await ask(markets);
    } catch (error) {
      if (!(error instanceof UnknownMarket)) throw error;
      const each = await Promise.all(markets.map((market) => this.alone(market, ask)));
      return new Map(each.flatMap((answers) => [...answers]));
    }
  }

  private async alone(market: string, ask: Ask): Promise<SourceAnswers> {
    try {
      return await ask([market]);
    } catch (error) {
      if (!(error instanceof UnknownMarket)) throw error;
      this.leftOutUntil.set(market, performance.now() + LEFT_OUT_MS);
      return new Map();
    }
  }

  private isLeftOut(market: string): boolean {
    return (this.leftOutUntil.get(market) ?? 0) > performance.now();
  }
}
