import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type BlockRef, ChainUnavailable, NodeBehind } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { SimulatedPayment } from '../../chains/outgoing.js';
import { type EvmNetwork, isEvmNetwork, NATIVE_COIN } from '../../domain/network.js';
import { transferGas } from '../../domain/transfer-gas.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { confirmedOutcomes, type RefusedPayment } from './confirmed-outcomes.js';
import { currentFees } from '../fees/current-fees.js';
import { gasOffer } from '../fees/gas-offer.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { readOnce, missingFunds } from '../transactions/payment-funds.js';
import { insertSimulations, type Simulated, type Simulations } from './payment-simulations.sql.js';
import { SimulationBackoff } from './simulation-backoff.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../transactions/transaction-order.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import { duePayments, findPayingWallets } from './payments-due.sql.js';

/** Payments that are read, simulated and recorded together. */
const BATCH = 300;
const payingWallets = findPayingWallets(['evm']);

/** A hot wallet that is about to pay. */
interface PayingWallet {
  readonly address: string;
  readonly network: EvmNetwork;
  /** Nodes below this final block are not used. */
  readonly finalizedHeight: number;
}

/** Due payments of one purpose. */
interface DuePage {
  readonly due: readonly RowOf<typeof duePayments>[];
  /** Payments that the hot wallet can pay now, by order id. */
  readonly payable: ReadonlyMap<string, SimulatedPayment>;
}

/** Payments of one purpose that are simulated together. */
interface SimulatedBatch {
  readonly purpose: PaymentPurpose;
  /** The time when they were read, by the database's clock. */
  readonly at: Date;
  readonly payments: readonly (readonly [purposeId: string, payment: SimulatedPayment])[];
}

/**
 * Executes every withdrawal and refund on the newest state of its chain before the vault may sign it, with the gas,
 * amount and sender of the transaction, and without sending anything. The vault calls no node; it reads these rows. A
 * payment that the hot wallet cannot pay yet is left to the vault, which records why it waits.
 */
@Injectable()
export class PaymentSimulator {
  private readonly job: ChainJob<TreasuryChain>;
  private readonly backoff = new SimulationBackoff();

  constructor(
    private readonly database: Database,
    private readonly balances: HotBalances,
    private readonly vault: VaultHeartbeat,
    chains: TreasuryChains,
    private readonly queue: JobWaker,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('simulations', chains, logger);
  }

  /** Simulates all due payments, chain by chain, the oldest first. Does nothing while no vault is open. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'simulations', atOnce: true, when: payingWallets })
  @JobHandler('payments.simulate')
  async simulateDue(): Promise<void> {
    const wallets = await this.database.rows(payingWallets);
    if (wallets.length === 0 || !(await this.vault.check()).isOpen) return;
    const paying = wallets.flatMap(({ chainRef, addressKey, network, finalizedHeight }) => {
      if (!isEvmNetwork(network)) return [];
      const wallet: PayingWallet = { address: addressKey, network, finalizedHeight: Number(finalizedHeight) };
      return [[chainRef, wallet] as const];
    });
    await this.job.run(new Map(paying), async (chain, wallet) => {
      for (const purpose of PAYMENT_PURPOSES) await this.simulateAll(chain, wallet, purpose);
    });
  }

  private async simulateAll(chain: TreasuryChain, wallet: PayingWallet, purpose: PaymentPurpose): Promise<void> {
    for (let after = { at: new Date(0), id: '' }; ;) {
      const { due, payable } = await this.database.transaction((tx) =>
        this.nextPage(tx, chain.chainRef, { wallet, purpose, after }),
      );
      const last = due.at(-1);
      if (last === undefined) return;
      if (due.some(({ id }) => !payable.has(id))) this.wakeVault(purpose);
      const payments = [...payable].filter(([id]) => !this.backoff.isPaused(id));
      await this.simulate(chain, wallet, { purpose, at: new Date(last.now), payments });
      if (due.length < BATCH) return;
      after = { at: new Date(last.createdAt), id: last.id };
    }
  }

  private async nextPage(
    tx: Tx,
    chainRef: string,
    { wallet, purpose, after }: { wallet: PayingWallet; purpose: PaymentPurpose; after: { at: Date; id: string } },
  ): Promise<DuePage> {
    const due = await rows(tx, duePayments(purpose, chainRef, { after, limit: BATCH }));
    const prices = due.length === 0 ? null : await currentFees(tx, chainRef);
    const payable = new Map<string, SimulatedPayment>();
    if (prices === null) return { due, payable };
    const funds = readOnce(this.balances.fundsOf(tx, chainRef));
    for (const { id, strategy, ...row } of due) {
      const order = { token: row.tokenContract, amount: BigInt(row.amount) };
      const { limit: gasLimit } = transferGas(order.token);
      const offer = gasOffer(wallet.network, prices, { strategy, gasLimit });
      if (typeof offer === 'string' || (await missingFunds(order, offer, funds)) !== null) continue;
      payable.set(id, { ...order, sender: wallet.address, recipient: row.destinationKey, gasLimit, fees: offer.fees });
    }
    return { due, payable };
  }

  /** @throws ChainUnavailable when no node executes calls */
  private async simulate(
    { chainRef, nodes }: TreasuryChain,
    wallet: PayingWallet,
    { purpose, at, payments: batch }: SimulatedBatch,
  ): Promise<void> {
    if (batch.length === 0) return;
    await nodes.attempt(async (session) => {
      const block = await headOf(session, wallet);
      const payments = batch.map(([, payment]) => payment);
      const outcomes = await session.client.outgoing.simulate(block, payments);
      if (outcomes === null) throw new ChainUnavailable(`${session.label} executes no calls at block ${block.height}.`);
      const accepted: Simulated[] = [];
      const refused: (RefusedPayment & { readonly purposeId: string })[] = [];
      for (const [place, [purposeId, payment]] of batch.entries()) {
        const outcome = outcomes[place] ?? null;
        if (outcome === null) this.backoff.pause(purposeId);
        else this.backoff.reset(purposeId);
        if (outcome === 'accepts') accepted.push({ purposeId, payment, result: outcome, nodes: 1, block });
        else if (outcome !== null) refused.push({ purposeId, payment, outcome });
      }
      const contracts = await contractsAmong(session, block, payments);
      const simulations = { purpose, chainRef, contracts, at };
      // Accepted payments are recorded before other nodes are asked.
      await this.record(simulations, accepted);
      const known = await confirmedOutcomes(session, { block, finalizedHeight: wallet.finalizedHeight }, refused);
      await this.record(
        simulations,
        refused.flatMap(({ purposeId, payment }, place) => {
          const outcome = known[place];
          return outcome === undefined ? [] : [{ purposeId, payment, ...outcome }];
        }),
      );
    });
  }

  private async record(simulations: Simulations, simulated: readonly Simulated[]): Promise<void> {
    if (simulated.length === 0) return;
    await this.database.rows(insertSimulations(simulations, simulated));
    failpoint('wd.simulated');
    if (simulated.some(({ result }) => result !== 'unconfirmed')) this.wakeVault(simulations.purpose);
  }

  /** Refunds need no wake: the vault polls for them every second. */
  private wakeVault(purpose: PaymentPurpose): void {
    if (purpose === 'withdrawal') this.queue.wake('withdrawals.sign', {});
  }
}

/**
 * Returns the destinations of coin payments that have code: these alone can refuse a payment that they accepted in the
 * simulation.
 */
async function contractsAmong(
  { client }: NodeSession,
  block: BlockRef,
  payments: readonly SimulatedPayment[],
): Promise<ReadonlySet<string>> {
  const coins = payments.filter(({ token }) => token === NATIVE_COIN);
  const recipients = [...new Set(coins.map(({ recipient }) => recipient))];
  const codes = await client.outgoing.codesAt(block, recipients);
  return new Set(recipients.filter((_recipient, place) => codes[place] !== '0x'));
}

/** Returns the newest block of a node. @throws NodeBehind when the node is not in sync. */
async function headOf(session: NodeSession, wallet: PayingWallet): Promise<BlockRef> {
  const head = await session.client.head();
  session.assertCaughtUp(head.height);
  if (head.height >= wallet.finalizedHeight) return head;
  throw new NodeBehind(`${session.label} is at block ${head.height}, below the final block ${wallet.finalizedHeight}.`);
}
