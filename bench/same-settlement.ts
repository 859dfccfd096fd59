import type { Stage } from './stage.ts';
import { loggedTransaction, withStatementLog } from './statement-log.ts';

/** Intents that were settled at once, and how many of them per second. */
export interface Settled {
  readonly ids: readonly string[];
  readonly perSecond: number;
}

/** Makes so many intents and settles them. */
type SettleSome = (count: number) => Promise<Settled>;

/**
 * Compares what both sides send to PostgreSQL to settle one intent, in PostgreSQL's own log.
 * @throws Error with both lists when they differ.
 */
export function checkSameSettlement(stage: Stage, byService: SettleSome, byBare: SettleSome): Promise<void> {
  return withStatementLog(stage, async () => {
    const statementsOf = async (settle: SettleSome): Promise<string> => {
      // The second one: the first may have to open the pocket.
      await settle(1);
      const [id = ''] = (await settle(1)).ids;
      const isLock = ({ text, parameters }: { text: string; parameters: string }): boolean =>
        text.endsWith('for no key update') && parameters.includes(id);
      return (await loggedTransaction(stage, isLock)).join('\n');
    };
    const ours = await statementsOf(byService);
    const theirs = await statementsOf(byBare);
    if (ours !== theirs) throw new Error(`The service settles by\n${ours}\n\nbut the yardstick by\n${theirs}`);
  });
}
