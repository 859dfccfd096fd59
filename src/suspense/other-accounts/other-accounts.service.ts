import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { tokenContracts } from '../../chains/networks.js';
import { formatUnits } from '../../domain/money.js';
import { Database, rows } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../../treasury/chain-job.js';
import { type ReadAccountChain, TreasuryChains } from '../../treasury/treasury-chains.service.js';
import {
  BEFORE_ALL_ENDED,
  deleteEmptied,
  type EndedPlace,
  endedAfter,
  findRound,
  moveRound,
  nextOfRound,
  upsertAccounts,
} from './other-accounts.sql.js';

/** Addresses of one search, each a request: those of ended intents, and those of the round over all. */
const ENDED_MAX = 10;
const ROUND_MAX = 10;

/** An address whose accounts are searched. */
interface Owner {
  readonly id: string;
  readonly addressKey: string;
}

/**
 * Finds funds in accounts that an address of ours owns beside its associated ones (Solana): a payer may name any account as the
 * destination. An address is searched once its intent has ended, and then in turn with all others, 60 a minute, in a round that
 * begins once an hour at most. What is found is recorded and reported. It is credited to no merchant, and no sweep takes it.
 */
@Injectable()
export class OtherAccounts {
  private readonly job: ChainJob<ReadAccountChain>;
  /** Up to which ended intent the addresses were searched, by chain. */
  private readonly ended = new Map<string, EndedPlace>();

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
    const [begun] = await this.database.rows(findRound(chainRef));
    const isPaused = begun?.isPaused ?? false;
    const round = isPaused ? [] : await this.database.rows(nextOfRound(profile, begun?.below ?? null, ROUND_MAX));
    const owners = [...new Map([...ended, ...round].map((owner) => [owner.id, owner])).values()];
    if (owners.length > 0) await this.searchOwners(chain, owners);
    if (!isPaused) await this.database.rows(moveRound(chainRef, round.at(ROUND_MAX - 1)?.id ?? null));
    const last = ended.at(-1);
    if (last !== undefined) this.ended.set(chainRef, last);
  }

  /** Searches these addresses, and records what is found. */
  private async searchOwners({ chainRef, profile, nodes }: ReadAccountChain, owners: readonly Owner[]): Promise<void> {
    const ids = new Map(owners.map(({ id, addressKey }) => [addressKey, id]));
    const keys = [...ids.keys()];
    const { accounts: found, refused } = await nodes.attempt(({ client }) =>
      client.otherAccountsOf(keys, tokenContracts(profile)),
    );
    const holding = found.flatMap(({ owner, ...account }) => {
      const addressId = ids.get(owner);
      return addressId === undefined || account.units === 0n ? [] : [{ ...account, owner, addressId }];
    });
    for (const owner of refused) {
      ids.delete(owner);
      this.logger.warn({ chainRef, owner }, 'The node does not list the token accounts of an address.');
    }
    const changed = await this.database.transaction(async (tx) => {
      const accounts = holding.map(({ account }) => account);
      // What was found before of a refused address stays.
      await rows(tx, deleteEmptied(chainRef, [...ids.values()], accounts));
      return rows(tx, upsertAccounts(chainRef, holding));
    });
    const isNew = new Set(changed.flatMap((row) => (row.isNew ? [row.account] : [])));
    for (const { account, owner, token, units } of holding) {
      if (!isNew.has(account)) continue;
      const listed = profile.tokens.find(({ contract }) => contract === token);
      const amount = listed === undefined ? String(units) : `${formatUnits(units, listed.decimals)} ${listed.symbol}`;
      this.logger.error({ chainRef, account, owner, amount }, 'An address owns funds in another token account.');
    }
  }
}
