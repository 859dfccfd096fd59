import type { Stage } from './stage.ts';
import { loggedTransaction, withStatementLog } from './statement-log.ts';

/** The settled intents, and how many of them per second. */
export interface Settled {
  readonly ids: readonly string[];
  readonly perSecond: number;
}

/** Creates this many intents and settles them. */
type SettleSome = (count: number) => Promise<Settled>;

/**
 * Compares the statements of both sides for the settlement of one intent, in PostgreSQL's log.
 * @throws Error with both lists when they differ.
 */
export function checkSameSettlement(stage: Stage, byService: SettleSome, byBare: SettleSome): Promise<void> {
  return withStatementLog(stage, async () => {
    const statementsOf = async (settle: SettleSome): Promise<string> => {
      // The second one, because the first may have to open the pocket.
      await settle(1);
      const [id = ''] = (await settle(1)).ids;
      const isLock = ({ text, parameters }: { text: string; parameters: string }): boolean =>
        text.endsWith('for no key update') && parameters.includes(id);
      return (await loggedTransaction(stage, isLock)).join('\n');
    };
    const ours = await statementsOf(byService);
    const theirs = await statementsOf(byBare);
    if (ours !== theirs) throw new Error(`The service settles by\n${ours}\n\nbut the baseline by\n${theirs}`);
  });
}
