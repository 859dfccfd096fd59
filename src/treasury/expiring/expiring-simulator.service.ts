import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type BlockRef, NodeBehind } from '../../chains/chain.js';
import type { ExpiringOutcome, PlannedPayment } from '../../chains/expiring.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import { ChainJob } from '../chain-job.js';
import type { SimulationResult } from '../simulation/payment-simulation.entity.js';
import { insertSimulations, type SimulatedTerms } from '../simulation/payment-simulations.sql.js';
import { duePayments, findPayingWallets } from '../simulation/payments-due.sql.js';
import { SimulationBackoff } from '../simulation/simulation-backoff.js';
import { readOnce } from '../transactions/payment-funds.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../transactions/transaction-order.js';
import { type ExpiringChain, type ExpiringNode, TreasuryChains } from '../treasury-chains.service.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { keptCoins, missingCoins } from './expiring-funds.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';
import { currentConditions } from './payment-conditions.js';
import { simulatedPlan } from './simulated-plan.js';
import { TokenDecimals } from './token-decimals.js';

/** Payments that are read, simulated and recorded together. */
const BATCH = 100;
const payingWallets = findPayingWallets(EXPIRING_FAMILIES);
/** Other nodes that take longer have no say. */
const OPINION_WITHIN_MS = 5_000;

/** A hot wallet that is about to pay. */
interface PayingWallet {
  readonly address: string;
  /** Nodes below this final block are not used. */
  readonly finalizedHeight: number;
}

/** A payment that its wallet can make now. */
interface DuePayment {
  readonly purposeId: string;
  readonly terms: SimulatedTerms;
  readonly planned: PlannedPayment;
}

/** Due payments of one purpose. */
interface DuePage {
  readonly due: readonly { readonly id: string; readonly createdAt: string; readonly now: string }[];
  readonly payable: readonly DuePayment[];
}

/**
 * Executes withdrawals and refunds on the newest state of chains whose transactions expire, before the vault may sign them.
 * A refusal needs a second node where there is one, as on other chains (`PaymentSimulator`).
 */
@Injectable()
export class ExpiringSimulator {
  private readonly job: ChainJob<ExpiringChain>;
  private readonly backoff = new SimulationBackoff();

  constructor(
    private readonly database: Database,
    private readonly balances: HotBalances,
    private readonly vault: VaultHeartbeat,
    chains: TreasuryChains,
    private readonly queue: JobWaker,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('simulations', chains.expiring, logger);
  }

  /** Simulates all due payments, chain by chain, the oldest first. Does nothing while no vault is open. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'simulations', atOnce: true, when: payingWallets })
  async simulateDue(): Promise<void> {
    const wallets = await this.database.rows(payingWallets);
    if (wallets.length === 0 || !(await this.vault.check()).isOpen) return;
    const paying = wallets.map(({ chainRef, addressKey: address, finalizedHeight }) => {
      const wallet: PayingWallet = { address, finalizedHeight: Number(finalizedHeight) };
      return [chainRef, wallet] as const;
    });
    await this.job.run(new Map(paying), async (chain, wallet) => {
      for (const purpose of PAYMENT_PURPOSES) await this.simulateAll(chain, wallet, purpose);
    });
  }

  private async simulateAll(chain: ExpiringChain, wallet: PayingWallet, purpose: PaymentPurpose): Promise<void> {
    for (let after = { at: new Date(0), id: '' }; ;) {
      const { due, payable } = await this.database.transaction((tx) =>
        this.nextPage(tx, chain, { wallet, purpose, after }),
      );
      const last = due.at(-1);
      if (last === undefined) return;
      if (due.length > payable.length) this.wakeVault(purpose);
      const asked = payable.filter(({ purposeId }) => !this.backoff.isPaused(purposeId));
      await this.simulate(chain, wallet, { purpose, at: new Date(last.now), payments: asked });
      if (due.length < BATCH) return;
      after = { at: new Date(last.createdAt), id: last.id };
    }
  }

  private async nextPage(
    tx: Tx,
    { chainRef, payer, sweeper }: ExpiringChain,
    { wallet, purpose, after }: { wallet: PayingWallet; purpose: PaymentPurpose; after: { at: Date; id: string } },
  ): Promise<DuePage> {
    const due = await rows(tx, duePayments(purpose, chainRef, { after, limit: BATCH }));
    const current = due.length === 0 ? null : await currentConditions(tx, chainRef, payer.signableForSeconds);
    if (current === null) return { due, payable: [] };
    const decimals = await TokenDecimals.read(tx, chainRef);
    const funds = readOnce(this.balances.fundsOf(tx, chainRef));
    const payable: DuePayment[] = [];
    for (const { id: purposeId, strategy, tokenContract: token, amount, destinationKey: recipient } of due) {
      const payment = {
        sender: wallet.address,
        recipient,
        token,
        amount: BigInt(amount),
        decimals: decimals.of(token),
      };
      const { planned, gasLimit } = simulatedPlan(payer, payment, strategy, current.details);
      const reserve = keptCoins(token, { payer, sweeper }, current.details);
      const missing = await missingCoins(payment, { costMax: planned.costMax, reserve }, funds);
      if (missing === null) payable.push({ purposeId, terms: { ...payment, gasLimit }, planned });
    }
    return { due, payable };
  }

  private async simulate(
    { chainRef, nodes }: ExpiringChain,
    wallet: PayingWallet,
    { purpose, at, payments }: { purpose: PaymentPurpose; at: Date; payments: readonly DuePayment[] },
  ): Promise<void> {
    if (payments.length === 0) return;
    await nodes.attempt(async (session) => {
      const block = await headOf(session, wallet);
      const outcomes = await session.client.simulate(payments.map(({ planned }) => planned));
      const opinions = await opinionsOn(session, payments, outcomes);
      const simulated = payments.flatMap(({ purposeId, terms: payment }, place) => {
        const outcome = outcomes[place] ?? null;
        if (outcome === null) {
          this.backoff.pause(purposeId);
          return [];
        }
        this.backoff.reset(purposeId);
        return [{ purposeId, payment, block, ...weigh(outcome, opinions(place), session.isAlone) }];
      });
      if (simulated.length === 0) return;
      await this.database.rows(insertSimulations({ purpose, chainRef, contracts: NO_CONTRACTS, at }, simulated));
      failpoint('wd.simulated');
      if (simulated.some(({ result }) => result !== 'unconfirmed')) this.wakeVault(purpose);
    });
  }

  /** Refunds need no wake: the vault polls for them every second. */
  private wakeVault(purpose: PaymentPurpose): void {
    if (purpose === 'withdrawal') this.queue.wake('withdrawals.sign', {});
  }
}

/** A program that receives coins is not called by the payment, so it cannot refuse it later. */
const NO_CONTRACTS: ReadonlySet<string> = new Set();

/** Returns what other nodes answer about the payments that one refuses, by their places. */
async function opinionsOn(
  session: NodeSession<ExpiringNode>,
  payments: readonly DuePayment[],
  outcomes: readonly (ExpiringOutcome | null)[],
): Promise<(place: number) => readonly ExpiringOutcome[]> {
  const refused = payments.flatMap(({ planned }, place) => (outcomes[place] === 'rejects' ? [{ place, planned }] : []));
  if (session.isAlone || refused.length === 0) return () => [];
  const answers = await session.askOthers((client) => client.simulate(refused.map(({ planned }) => planned)), {
    withinMs: OPINION_WITHIN_MS,
  });
  return (place) => {
    const asked = refused.findIndex((each) => each.place === place);
    return answers.flatMap(({ answer }) => answer[asked] ?? []);
  };
}

function weigh(
  outcome: ExpiringOutcome,
  others: readonly ExpiringOutcome[],
  isAlone: boolean,
): { readonly result: SimulationResult; readonly nodes: number } {
  if (outcome === 'accepts' || isAlone) return { result: outcome, nodes: 1 };
  const accepting = others.filter((other) => other === 'accepts').length;
  if (accepting > 0) return { result: 'accepts', nodes: accepting };
  return others.length === 0 ? { result: 'unconfirmed', nodes: 1 } : { result: outcome, nodes: 1 + others.length };
}

/** Returns the newest block of a node. @throws NodeBehind when the node is not in sync. */
async function headOf(session: NodeSession<ExpiringNode>, wallet: PayingWallet): Promise<BlockRef> {
  const head = await session.client.head();
  session.assertCaughtUp(head.height);
  if (head.height >= wallet.finalizedHeight) return head;
  throw new NodeBehind(`${session.label} is at block ${head.height}, below the final block ${wallet.finalizedHeight}.`);
}
