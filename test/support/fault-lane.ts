import { z } from 'zod';
import { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { TRANSFER_TOPIC } from '../../src/chains/evm/transfer-log.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { RunningService } from '../../src/app/start/service.js';
import { progressOf, untilWatched } from '../chain/watching.js';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { answering } from '../webhooks/webhook-world.js';
import { BNB_FINALITY, type BnbTestnet, startBnbTestnet } from './bnb-testnet.js';
import { expectBooksInOrder, pocketOf } from './books.js';
import { eventually } from './eventually.js';
import type { FaultRound } from './fault-rounds.js';
import { startListener } from './listener-process.js';
import { ProbeContract } from './probe-contracts.js';
import { query } from './sql.js';
import { startWorld, type World } from './world.js';
import { verifiedAtReceipt } from './verified-webhook.js';

/** Longer than a node that never answers is waited for. */
const ROUND_ENDS_WITHIN_MS = 90_000;
/** How often a round's customers pay again because a fault has not come up. */
const TRIES_MAX = 20;

const LOG = z.object({ transactionHash: z.string(), topics: z.array(z.string()), data: z.string() });

/** The report of a finished lane. */
export interface LaneReport {
  readonly requests: number;
  readonly hits: ReadonlyMap<string, number>;
  readonly intents: number;
  readonly payments: number;
  readonly deliveries: number;
  /** How often a block's logs were read again. */
  readonly rereads: number;
}

/**
 * One whole service that reads BNB's test network through one proxy or several, as if these were different nodes, with
 * customers who pay and a merchant who receives webhooks.
 */
export class FaultLane {
  private readonly intents: PaymentIntentObject[] = [];

  private constructor(
    readonly world: World,
    private readonly testnet: BnbTestnet,
    /** The service's nodes, the preferred first. */
    readonly nodes: readonly [FaultProxy, ...FaultProxy[]],
    private readonly receiver: Receiver,
    private readonly secret: string,
    private readonly tokens: { readonly usdc: ProbeContract; readonly batcher: ProbeContract },
    private listener: RunningService,
    private readonly firstHeight: number,
  ) {}

  static async open(seed: number, nodeCount = 1): Promise<FaultLane> {
    const [world, testnet] = await Promise.all([startWorld({ env: { WALLET_POOL_TARGET: '400' } }), startBnbTestnet()]);
    const target = { url: testnet.url };
    const [first, ...others] = await Promise.all(
      Array.from({ length: nodeCount }, (_, node) => FaultProxy.start({ target, seed: seed + node })),
    );
    if (first === undefined) throw new Error('A service needs a node.');
    const nodes = [first, ...others] as const;
    const listener = await startListener(world, urlsOf(nodes));
    // A head that is 30 s old counts as behind, and the start may take that long on a slow machine.
    await testnet.node.mine();
    await untilWatched(world, 'bnb');
    const receiver = await startReceiver(answering(204));
    const url = `http://127.0.0.1:${receiver.port}/hooks`;
    const { body } = await world.api.post<{ secret: string }>('/v1/webhook-endpoints', { url, event_types: ['*'] });
    const listed = testnet.controls.chain.tokens['USDC']?.address ?? '';
    const usdc = ProbeContract.at(testnet.node, 'ProbeToken', listed);
    const batcher = await ProbeContract.deploy(testnet.node, 'Batcher');
    const height = (await progressOf(world, 'bnb'))?.height ?? 0;
    return new FaultLane(world, testnet, nodes, receiver, body.secret, { usdc, batcher }, listener, height);
  }

  /** Lets customers pay while the first node has faults, until each has come up and every intent is completed. */
  async play({ faults, share, hitsMax, atStart }: FaultRound): Promise<void> {
    const [node] = this.nodes;
    const before = new Map(node.hits);
    const isCalm = (): boolean => faults.some(({ name }) => node.hits.get(name) === before.get(name));
    const arm = (): void => node.arm(faults, { share, hitsMax });
    if (atStart) await this.restartListener(arm);
    else arm();
    for (let tries = 0; tries === 0 || isCalm(); tries++) {
      if (tries === TRIES_MAX) throw new Error('A fault of this round never came up.');
      await this.untilCompleted(await this.payFourIntents());
    }
  }

  /** Stops the listener, does what is to be done meanwhile, and starts it again. */
  async restartListener(meanwhile: () => void): Promise<void> {
    await this.listener.stop();
    meanwhile();
    this.listener = await startListener(this.world, urlsOf(this.nodes));
  }

  /** Expects that each payment was credited once and each event delivered once, and returns counts of what was done. */
  async close(): Promise<LaneReport> {
    for (const node of this.nodes) node.heal();
    const { database, merchantId } = this.world;
    await expectBooksInOrder(database);
    const onChain = await this.transfersOnChain();
    const credited = await query<{ tx_hash: string; to_address: string; amount: string }>(
      database,
      `select tx_hash, to_address, amount from deposit where credited_at is not null and intent_id is not null`,
    );
    expect(credited.map((row) => `${row.tx_hash} ${row.to_address} ${row.amount}`).toSorted()).toEqual(
      onChain.map(({ txHash, to, amount }) => `${txHash} ${to} ${amount}`).toSorted(),
    );
    expect(await pocketOf(database, merchantId, 'bnb')).toBe(onChain.reduce((sum, { amount }) => sum + amount, 0n));
    expect(await query(database, `select id from payment_intent where status <> 'completed'`)).toEqual([]);
    expect((await progressOf(this.world, 'bnb'))?.haltedReason).toBeNull();
    await this.expectEachEventDeliveredOnce();
    const height = (await progressOf(this.world, 'bnb'))?.height ?? 0;
    const [node] = this.nodes;
    return {
      requests: node.requests,
      hits: node.hits,
      intents: this.intents.length,
      payments: onChain.length,
      deliveries: this.receiver.requests.length,
      rereads: (node.asked.get('eth_getLogs') ?? 0) - (height - this.firstHeight),
    };
  }

  async stop(): Promise<void> {
    await this.listener.stop();
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.testnet.stop();
    await this.world.stop();
    await this.receiver.close();
  }

  /** One exact payment, one in two parts, and two intents that share two transactions. None is final yet. */
  async payFourIntents(): Promise<readonly PaymentIntentObject[]> {
    const { usdc, batcher } = this.tokens;
    const four = await Promise.all(
      Array.from({ length: 4 }, () => intentWithAddress(this.world.api, { network: 'bnb' })),
    );
    const [exact, parts, ...shared] = four.map((intent) => ({
      to: addressOf(intent),
      half: BigInt(intent.crypto_amount ?? 0) / 2n,
    }));
    if (exact === undefined || parts === undefined) throw new Error('Four were made.');
    const batch = [shared.map(() => usdc.address), shared.map(({ to }) => to), shared.map(({ half }) => half)];
    await usdc.send('transfer', exact.to, 2n * exact.half);
    await usdc.send('transfer', parts.to, parts.half);
    await batcher.send('pay', ...batch);
    await usdc.send('transfer', parts.to, parts.half);
    await batcher.send('pay', ...batch);
    expect(await this.completedOf(four)).toBe(0);
    this.intents.push(...four);
    await this.testnet.controls.mine(BNB_FINALITY);
    return four;
  }

  /** The chain advances meanwhile: what a node repeats shows only then. */
  async untilCompleted(intents: readonly PaymentIntentObject[]): Promise<void> {
    await eventually(
      async () => {
        const completed = await this.completedOf(intents);
        if (completed < intents.length) await this.testnet.controls.mine();
        return completed;
      },
      (completed) => completed === intents.length,
      ROUND_ENDS_WITHIN_MS,
    );
  }

  /** How many of them are completed by now. */
  async completedOf(intents: readonly PaymentIntentObject[]): Promise<number> {
    const rows = await query(
      this.world.database,
      `select from payment_intent where status = 'completed' and id = any($1)`,
      [intents.map(({ id }) => id)],
    );
    return rows.length;
  }

  /** Every transfer to one of the intents, as the honest node reports it. */
  private async transfersOnChain(): Promise<readonly { txHash: string; to: string; amount: bigint }[]> {
    const ours = new Set(this.intents.map((intent) => addressOf(intent).toLowerCase()));
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: this.tokens.usdc.address, topics: [TRANSFER_TOPIC] };
    const logs = await this.testnet.node.ask(z.array(LOG), 'eth_getLogs', filter);
    return logs
      .map(({ transactionHash, topics, data }) => ({
        txHash: transactionHash,
        to: `0x${topics[2]?.slice(-40)}`,
        amount: BigInt(data),
      }))
      .filter(({ to }) => ours.has(to));
  }

  private async expectEachEventDeliveredOnce(): Promise<void> {
    const { database } = this.world;
    await eventually(
      async () => {
        const due = await query(
          database,
          `select from event left join delivery on delivery.event_id = event.id where delivery.status is distinct from 'delivered'`,
        );
        return due.length;
      },
      (seen) => seen === 0,
    );
    const events = await query<{ id: string }>(database, `select id from event`);
    const received = this.receiver.requests.map((request) => verifiedAtReceipt(request, this.secret));
    expect(received.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    const completed = received.map(({ type }): string => type).filter((type) => type === 'payment_intent.completed');
    expect(completed).toHaveLength(this.intents.length);
  }
}

/** As a comma list, the way operators write it. */
const urlsOf = (nodes: readonly FaultProxy[]): string => nodes.map(({ url }) => url).join(',');
