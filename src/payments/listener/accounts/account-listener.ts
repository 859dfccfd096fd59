import type { AccountClient } from '../../../chains/accounts.js';
import { type BlockHeader, NodeBehind } from '../../../chains/chain.js';
import { tokenContracts } from '../../../chains/networks.js';
import type { NodeSession } from '../../../chains/nodes/chain-nodes.js';
import type { NodeReport } from '../../../chains/nodes/node-health.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import { poolOf } from '../../addresses/pool-addresses.sql.js';
import type { Cursor } from '../chain-reader.js';
import { type ChainPlace, loadPlace } from '../chain-cursor.js';
import type { DepositRow } from '../deposit-writer.sql.js';
import type { Listener, ListenerOptions } from '../listener-options.js';
import { DoubtReport, reportFailure } from '../listener-reports.js';
import { BEFORE_ALL_RECENT, nextRecent, RECENT_PAGE, type RecentPlace } from '../native-reads.sql.js';
import { listenerPauseMs, PollLoop } from '../poll-loop.js';
import { SecondNode } from '../second-node.js';
import { type SeenPlace, seenUpTo } from './account-deposits.sql.js';
import { AccountFinality, type PlacedDeposit } from './account-finality.js';
import { AccountPace } from './account-pace.js';
import { AccountReader, type BalanceReading } from './account-reader.js';
import { AccountRecorder } from './account-recorder.js';
import { reportedByAccounts } from './account-reports.js';
import { AccountRound, type RoundStep } from './account-round.js';
import { BalancesAhead } from './balances-ahead.js';
import { CreditedAccountRota } from './credited-account-rota.js';
import type { Excess } from './history-search.js';
import { roundAddresses } from './round-size.js';
import { SmallestPayment } from './smallest-payment.js';
import { UnexplainedBalances } from './unexplained-balances.js';
import { accountsOfKeys, type ReadBalance, type WatchedFunds } from './watched-accounts.sql.js';
import { WatchedAccounts } from './watched-accounts.js';

/** Deposits whose finality is checked in one step. */
const SEEN_MAX = 100;
const BEFORE_ALL_SEEN: SeenPlace = { height: -1, id: '' };

/**
 * Reads a chain by the balances of its accounts while this process leads it. Each step reads the accounts of the intents
 * that are open or ended within a day, and some of all others in turn, so that funds on any of them are found. The cursor is
 * the head at which a step began: every recent account was read at that block or later. Token accounts of an address other
 * than the associated ones are read in turn, once they are credited.
 */
export class AccountListener implements Listener {
  private readonly watched: WatchedAccounts;
  private readonly round: AccountRound;
  private readonly credited: CreditedAccountRota;
  private readonly reader: AccountReader;
  private readonly ahead: BalancesAhead;
  private readonly recorder: AccountRecorder;
  private readonly unexplained: UnexplainedBalances;
  private readonly smallestPayment: SmallestPayment;
  private readonly finality = new AccountFinality();
  private seenAfter: SeenPlace = BEFORE_ALL_SEEN;
  private readonly pace: AccountPace;
  private readonly doubts: DoubtReport;
  /** Null where there is no second node. */
  private readonly secondNode: SecondNode | null;
  private readonly loop: PollLoop;

  constructor(private readonly options: ListenerOptions<AccountClient>) {
    const { database, chainRef, profile, lease, logger } = options;
    this.watched = new WatchedAccounts(database, chainRef, profile);
    this.round = new AccountRound(database, chainRef, poolOf(profile));
    this.credited = new CreditedAccountRota(database, chainRef);
    this.reader = new AccountReader(database, chainRef, tokenContracts(profile));
    this.ahead = new BalancesAhead(this.reader);
    this.recorder = new AccountRecorder(database, chainRef, lease);
    this.unexplained = new UnexplainedBalances(database, this.recorder, { chainRef, logger });
    this.smallestPayment = new SmallestPayment(database, chainRef);
    this.pace = new AccountPace(profile.blockIntervalMs);
    this.doubts = new DoubtReport(options);
    this.secondNode = options.nodes.count > 1 ? this.openSecondNode() : null;
    this.loop = new PollLoop({
      tick: () => this.tick(),
      pauseMs: (failures) => listenerPauseMs(this.pace.pauseMs, failures),
      onFailure: async (error, failures) => reportFailure(options, error, failures),
    });
  }

  nudge(): void {
    this.loop.nudge();
  }

  nodeReports(): readonly NodeReport[] {
    return this.options.nodes.reports();
  }

  async stop(): Promise<void> {
    await Promise.all([this.loop.stop(), this.secondNode?.stop()]);
    await Promise.all([this.round.settle(), this.ahead.settle()]);
  }

  private async tick(): Promise<boolean> {
    const { chainRef, database, nodes } = this.options;
    const place = await loadPlace(database, chainRef);
    const doubt = await nodes.attempt((session) => this.step(session, place));
    await this.doubts.report(place.doubt, doubt);
    if (doubt === null) void this.secondNode?.check();
    return false;
  }

  /** Reads one step from one node. Returns the disagreement of the nodes about a final block, or null. */
  private async step(
    session: NodeSession<AccountClient>,
    { cursor, doubt: former, readAt, roundBelow }: ChainPlace,
  ): Promise<string | null> {
    const { client } = session;
    // The database and the node work at the same time.
    const [{ head, finalizedHeight }, round] = await Promise.all([
      this.heads(session, cursor),
      this.nextOfRound(client, roundBelow),
    ]);
    const recent = await this.readRecent(session, head);
    this.pace.note({ recent, endsRound: round.below === null });
    const balances = await this.ahead.of(client, round.accounts, head.height);
    this.ahead.begin(client, this.round.following(), head.height);
    await this.compare(session, balances);
    await this.read(session, await this.credited.next(), head);
    const doubt = await this.settle(session, finalizedHeight, former);
    await this.smallestPayment.sample(client);
    await this.recorder.moveCursor(cursor, {
      head,
      finalizedHeight: Math.max(finalizedHeight, cursor.finalizedHeight),
      readAt,
      roundBelow: round.below,
    });
    this.options.onProgress({ blocks: 0, seconds: this.lagSeconds(head, readAt) });
    return doubt;
  }

  private async heads(
    session: NodeSession<AccountClient>,
    cursor: Cursor,
  ): Promise<{ readonly head: BlockHeader; readonly finalizedHeight: number }> {
    const { client } = session;
    const [head, finalizedHeight] = await Promise.all([client.head(), client.finalizedHeight()]);
    session.assertCaughtUp(head.height);
    if (head.height < cursor.height) {
      throw new NodeBehind("The node's newest block is older than the last block we recorded.");
    }
    // The newest final block may be later than the head that was asked for at the same time.
    return { head, finalizedHeight: Math.min(finalizedHeight, head.height) };
  }

  /** Returns the next accounts of the round over all, among them those of addresses that are new. */
  private async nextOfRound(client: AccountClient, below: string | null): Promise<RoundStep> {
    await this.watched.derive(client);
    return this.round.next(below, roundAddresses(client));
  }

  /** Reads the accounts of the intents that are open or ended within a day. Returns how many addresses they have. */
  private async readRecent(session: NodeSession<AccountClient>, head: BlockHeader): Promise<number> {
    const { chainRef, database, profile } = this.options;
    let count = 0;
    let place: RecentPlace | undefined = BEFORE_ALL_RECENT;
    while (place !== undefined) {
      const page: readonly RowOf<typeof nextRecent>[] = await database.rows(
        nextRecent(profile.environment, [profile.network], place),
      );
      const keys = page.flatMap(({ addressKey }) => addressKey ?? []);
      if (keys.length > 0) await this.read(session, await database.rows(accountsOfKeys(chainRef, keys)), head);
      count += keys.length;
      place = page.at(RECENT_PAGE - 1);
    }
    return count;
  }

  private async read(
    session: NodeSession<AccountClient>,
    accounts: readonly WatchedFunds[],
    head: BlockHeader,
  ): Promise<void> {
    await this.compare(session, await this.reader.balancesOf(session.client, accounts, head.height));
  }

  /** Explains what the accounts hold more than the books say. */
  private async compare(session: NodeSession<AccountClient>, reading: BalanceReading): Promise<void> {
    const { client } = session;
    const { balances } = reading;
    await this.recorder.noteObstacles(changedObstacles(balances));
    const excess = await this.reader.excessOf(balances);
    const due = this.unexplained.due(excess);
    for await (const deposits of this.reader.explain(client, due)) await this.see(deposits);
    // Deposits that were recorded meanwhile can only make an excess smaller.
    const exceeding = new Set(excess.map(({ account }) => account));
    const suspected = balances.filter(({ account }) => exceeding.has(account));
    let left = due.length > 0 ? await this.reader.excessOf(suspected) : excess;
    const open = new Set(left.map(({ account }) => account));
    const tried = due.filter(({ account }) => open.has(account));
    if (tried.length > 0 && !session.isAlone) {
      await this.explainByOthers(session, tried);
      left = await this.reader.excessOf(suspected);
    }
    await this.unexplained.keep(reading, left, due);
  }

  /** A node that has lost the history of an account answers like one of an account without any: others may have it. */
  private async explainByOthers(session: NodeSession<AccountClient>, excesses: readonly Excess[]): Promise<void> {
    const found = await session.askOthers(async (client) => {
      const deposits: DepositRow[] = [];
      for await (const some of this.reader.explain(client, excesses)) deposits.push(...some);
      return deposits;
    });
    for (const { answer } of found) await this.see(answer);
  }

  private async see(deposits: readonly DepositRow[]): Promise<void> {
    const touched = await this.recorder.see(deposits);
    if (touched.length > 0) this.options.onTouched(touched);
  }

  private async settle(
    session: NodeSession<AccountClient>,
    finalizedHeight: number,
    former: string | null,
  ): Promise<string | null> {
    const { chainRef, database, onTouched, secondNodeAboveCents } = this.options;
    const seen = await database.rows(seenUpTo(chainRef, finalizedHeight, this.seenAfter, SEEN_MAX));
    const { final, replaced, doubt } = await this.finality.check(session, seen, { finalizedHeight, former });
    const dropped = await this.droppedOf(session.client, replaced);
    const above = this.secondNode === null ? null : secondNodeAboveCents;
    const touched = await this.recorder.settle({ final, dropped }, above);
    this.unexplained.suspect(dropped.map(({ account }) => account));
    if (touched.length > 0) onTouched(touched);
    // Deposits that cannot become final yet delay no others.
    this.seenAfter = seen.at(SEEN_MAX - 1) ?? BEFORE_ALL_SEEN;
    return doubt;
  }

  /**
   * Records deposits again whose transaction is in another block now. Returns those that no block has any more; of those
   * that the node does not return nothing is known.
   */
  private async droppedOf(
    client: AccountClient,
    replaced: readonly PlacedDeposit[],
  ): Promise<readonly PlacedDeposit[]> {
    if (replaced.length === 0) return [];
    const { deposits, unknown } = await this.reader.readAgain(client, replaced);
    await this.see(deposits);
    const found = new Set(deposits.map(({ txHash, position }) => `${txHash} ${position}`));
    return replaced.filter(({ txHash, position }) => !unknown.has(txHash) && !found.has(`${txHash} ${position}`));
  }

  /** How old the newest block is that everything was read at, beyond the usual time between two blocks. */
  private lagSeconds(head: BlockHeader, now: Date): number {
    return Math.max(0, now.getTime() - head.time.getTime() - this.options.profile.blockIntervalMs) / 1000;
  }

  private openSecondNode(): SecondNode {
    const { secondNodeAboveCents: aboveCents, nodes } = this.options;
    return new SecondNode({
      ...this.options,
      aboveCents,
      opinionsOn: (block) => nodes.ask((client) => reportedByAccounts(client, block)),
      onReported: () => this.nudge(),
    });
  }
}

/** Only credited accounts have obstacles. */
const changedObstacles = (balances: readonly ReadBalance[]): readonly ReadBalance[] =>
  balances.filter(({ obstacle, blockedBy }) => obstacle !== undefined && obstacle !== blockedBy);
