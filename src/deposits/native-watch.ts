import type { NetworkProfile } from '../chains/networks.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { Database } from '../platform/database/database.js';

const WAITING_PER_STEP_MAX = 1_000;
const OTHERS_PER_TURN_MAX = 100;
const BETWEEN_TURNS_MS = 10_000;
const ABOVE_ALL_IDS = String(2n ** 63n - 1n);

/** What a step reads for the chain's own coin. */
export interface NativeReading {
  /** Whether its blocks are read in full, for the transactions that move the coin. */
  readonly transactions: boolean;
  /** Addresses, each once, whose balance is read at the step's top block. */
  readonly balancesOf: readonly string[];
}

/** Where the rounds over the addresses stand. */
interface Place {
  /** The next look at those that wait for the coin begins above this id. */
  readonly waitingAbove: string;
  /** The next turn of all the others begins below this id. */
  readonly othersBelow: string;
  readonly turnAtMs: number;
}

interface AddressRow {
  id: string;
  address_key: string;
}

/**
 * Decides what is worth asking a node about the chain's own coin. Balances tell what no block shows, at one question for
 * each address: where the coin is expected they are read at every head, and in slow turns everywhere else, so that coins
 * sent to an address that does not expect them come to light.
 */
export class NativeWatch {
  private place: Place = { waitingAbove: '0', othersBelow: ABOVE_ALL_IDS, turnAtMs: 0 };
  private next = this.place;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly profile: Pick<NetworkProfile, 'environment' | 'addressFamily'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * What the step under way reads. Balances are asked for only when it is level with the head: nodes keep the state of
   * old blocks for a short while.
   */
  async ask(isLevel: boolean): Promise<NativeReading> {
    this.next = this.place;
    if (!isLevel) return { transactions: (await this.waiting('0', 1)).length > 0, balancesOf: [] };
    const waiting = await this.nextWaiting();
    const others = await this.nextOthers();
    const addresses = [...waiting, ...others].map((row) => row.address_key);
    return { transactions: waiting.length > 0, balancesOf: [...new Set(addresses)] };
  }

  /** The step is recorded, so the next one asks about others; those of a step that failed are asked about again. */
  recorded(): void {
    this.place = this.next;
  }

  private async nextWaiting(): Promise<readonly AddressRow[]> {
    const { waitingAbove } = this.place;
    let rows = await this.waiting(waitingAbove, WAITING_PER_STEP_MAX + 1);
    if (rows.length === 0 && waitingAbove !== '0') rows = await this.waiting('0', WAITING_PER_STEP_MAX + 1);
    const taken = rows.slice(0, WAITING_PER_STEP_MAX);
    this.next = { ...this.next, waitingAbove: rows.length > taken.length ? (taken.at(-1)?.id ?? '0') : '0' };
    return taken;
  }

  /** Addresses of the intents that are to be paid in the coin, and of those that ended within the hour: people pay late. */
  private waiting(above: string, limit: number): Promise<AddressRow[]> {
    return this.database.query<AddressRow>(
      `select address.id, address.address_key
         from (select id from payment_intent
                where chain_ref = $1 and token_contract = '${NATIVE_COIN}'
                  and status in ('created', 'requires_action', 'processing')
                union all
               select id from payment_intent
                where chain_ref = $1 and token_contract = '${NATIVE_COIN}'
                  and status in ('completed', 'failed', 'cancelled', 'expired')
                  and updated_at > now() - interval '1 hour') intent
         join pool_address address on address.intent_id = intent.id
        where address.id > $2
        order by address.id limit $3`,
      [this.chainRef, above, limit],
    );
  }

  /** Newest first, since a process that starts anew begins anew. */
  private async nextOthers(): Promise<readonly AddressRow[]> {
    const nowMs = this.nowMs();
    if (nowMs < this.place.turnAtMs) return [];
    const rows = await this.database.query<AddressRow>(
      `select id, address_key from pool_address
        where environment = $1 and family = $2 and id < $3 order by id desc limit $4`,
      [this.profile.environment, this.profile.addressFamily, this.place.othersBelow, OTHERS_PER_TURN_MAX],
    );
    const isRoundOver = rows.length < OTHERS_PER_TURN_MAX;
    this.next = {
      ...this.next,
      othersBelow: isRoundOver ? ABOVE_ALL_IDS : (rows.at(-1)?.id ?? ABOVE_ALL_IDS),
      turnAtMs: nowMs + BETWEEN_TURNS_MS,
    };
    return rows;
  }
}
