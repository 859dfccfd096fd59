import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type NetworkProfile, tokenContracts } from '../../chains/networks.js';
import { formatUnits } from '../../domain/money.js';
import { Database, rows } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../../treasury/chain-job.js';
import { type ReadAccountChain, TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { admitted, type FoundAccount } from './admitted-accounts.js';
import {
  BEFORE_ALL_ENDED,
  deleteEmptied,
  type EndedPlace,
  endedAfter,
  findRead,
  findRound,
  insertRead,
  moveRound,
  nextOfRound,
  openAfter,
  upsertAccounts,
} from './other-accounts.sql.js';

/** Addresses of one search, each a request: those of ended intents, those of open ones in turn, and those of the round over all. */
const ENDED_MAX = 10;
const OPEN_MAX = 10;
const ROUND_MAX = 10;

/** An address whose accounts are searched. */
interface Owner {
  readonly id: string;
  readonly addressKey: string;
}

/**
 * Finds funds in accounts that an address of ours owns beside its associated ones (Solana): a payer may name any account as the
 * destination. The addresses of open intents are searched in turn, 60 a minute. An address is searched once more when its intent
 * has ended, and then in turn with all others, 60 a minute, in a round that begins once an hour at most. The listener reads what
 * is found from then on, and credits it, unless somebody else could take the funds back: that is recorded and reported.
 */
@Injectable()
export class OtherAccounts {
  private readonly job: ChainJob<ReadAccountChain>;
  /** Up to which ended intent the addresses were searched, by chain. */
  private readonly ended = new Map<string, EndedPlace>();
  /** The open intent that was searched last, by chain. */
  private readonly open = new Map<string, string>();

  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('other accounts', chains.accounts, logger);
  }

  /** Searches the next addresses of every chain that is read by accounts. */
  @RecurringJob({ role: 'worker', every: 10_000, leader: 'scheduler' })
  async search(): Promise<void> {
    const active = await this.chains.accounts.active();
    await this.job.run(new Map(active.map(({ chainRef }) => [chainRef, null])), (chain) => this.searchOn(chain));
  }

  private async searchOn(chain: ReadAccountChain): Promise<void> {
    const { chainRef, profile } = chain;
    const place = this.ended.get(chainRef) ?? BEFORE_ALL_ENDED;
    const { environment, network } = profile;
    const ended = await this.database.rows(endedAfter(environment, network, place, ENDED_MAX));
    const open = await this.database.rows(openAfter(environment, network, this.open.get(chainRef) ?? '', OPEN_MAX));
    const [begun] = await this.database.rows(findRound(chainRef));
    const isPaused = begun?.isPaused ?? false;
    const round = isPaused ? [] : await this.database.rows(nextOfRound(profile, begun?.below ?? null, ROUND_MAX));
    const owners = [...new Map([...ended, ...open, ...round].map((owner) => [owner.id, owner])).values()];
    if (owners.length > 0) await this.searchOwners(chain, owners);
    if (!isPaused) await this.database.rows(moveRound(chainRef, round.at(ROUND_MAX - 1)?.id ?? null));
    const last = ended.at(-1);
    if (last !== undefined) this.ended.set(chainRef, last);
    this.open.set(chainRef, open.at(OPEN_MAX - 1)?.intentId ?? '');
  }

  /** Searches these addresses, and records what is found. */
  private async searchOwners({ chainRef, profile, nodes }: ReadAccountChain, owners: readonly Owner[]): Promise<void> {
    const ids = new Map(owners.map(({ id, addressKey }) => [addressKey, id]));
    const keys = [...ids.keys()];
    const { accounts: found, refused } = await nodes.attempt(({ client }) =>
      client.otherAccountsOf(keys, tokenContracts(profile)),
    );
    const owned = found.flatMap((account) => {
      const addressId = ids.get(account.owner);
      return addressId === undefined ? [] : [{ ...account, addressId }];
    });
    for (const owner of refused) {
      ids.delete(owner);
      this.logger.warn({ chainRef, owner }, 'The node does not list the token accounts of an address.');
    }
    const {
      taken,
      refused: uncredited,
      changed,
    } = await this.database.transaction(async (tx) => {
      const places = [...ids.values()];
      const decided = admitted(owned, await rows(tx, findRead(chainRef, places)));
      await rows(tx, insertRead(chainRef, decided.taken));
      const accounts = decided.refused.map(({ account }) => account);
      // What was found before of an address that the node refuses to list stays.
      await rows(tx, deleteEmptied(chainRef, places, accounts));
      return { ...decided, changed: await rows(tx, upsertAccounts(chainRef, decided.refused)) };
    });
    for (const account of taken) {
      this.logger.info(shown(chainRef, profile, account), 'Another token account of an address is read from now on.');
    }
    const isNew = new Set(changed.flatMap((row) => (row.isNew ? [row.account] : [])));
    for (const held of uncredited.filter(({ account }) => isNew.has(account))) {
      const detail = { ...shown(chainRef, profile, held), obstacle: held.obstacle };
      this.logger.error(detail, 'Funds in another token account of an address cannot be credited.');
    }
  }
}

/** What a log line says about an account. */
function shown(
  chainRef: string,
  { tokens }: Pick<NetworkProfile, 'tokens'>,
  { account, owner, token, units }: Omit<FoundAccount, 'obstacle'>,
): Readonly<Record<string, string>> {
  const listed = tokens.find(({ contract }) => contract === token);
  const amount = listed === undefined ? String(units) : `${formatUnits(units, listed.decimals)} ${listed.symbol}`;
  return { chainRef, account, owner, amount };
}
