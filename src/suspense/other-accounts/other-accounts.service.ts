import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type NetworkProfile, tokenContracts } from '../../chains/networks.js';
import type { OtherAccountObstacle } from '../../domain/account-obstacle.js';
import { formatUnits } from '../../domain/money.js';
import { Database, rows } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../../treasury/chain-job.js';
import { creditedBalances } from '../../treasury/sweeps/expiring/credited-balances.sql.js';
import { type ReadAccountChain, TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { admitted, type FoundAccount } from './admitted-accounts.js';
import {
  BEFORE_ALL_ENDED,
  deleteEmptied,
  type EndedPlace,
  endedAfter,
  findRound,
  insertCredited,
  moveRound,
  nextOfRound,
  openAfter,
  type Owner,
  ownersByKey,
  undecidedOwners,
  upsertAccounts,
} from './other-accounts.sql.js';

/** Addresses of one search, each a request: those of ended intents, those of open ones in turn, and those of the round over all. */
const ENDED_MAX = 10;
const OPEN_MAX = 10;
const ROUND_MAX = 10;
/** Those of accounts that an earlier version has found. */
const UNDECIDED_MAX = 10;

/** The addresses of one search, by the reason for which they are searched. */
interface NextOwners {
  readonly ended: readonly RowOf<typeof endedAfter>[];
  readonly open: readonly RowOf<typeof openAfter>[];
  /** Null while the next round over all must not begin. */
  readonly round: readonly Owner[] | null;
  readonly undecided: readonly Owner[];
}

/** What a search found that was not credited before. */
export interface SearchedAddress {
  readonly credited: readonly { readonly account: string; readonly amount: string }[];
  readonly refused: readonly {
    readonly account: string;
    readonly amount: string;
    readonly obstacle: OtherAccountObstacle;
  }[];
  /** Keys of addresses whose accounts the node refused to list: they may hold more. */
  readonly unlisted: readonly string[];
}

/**
 * Finds funds in accounts that an address of ours owns beside its associated ones (Solana): a payer may name any account as the
 * destination. The addresses of open intents are searched in turn, 60 a minute. An address is searched once more when its intent
 * has ended, and then in turn with all others, 60 a minute, in a round that begins once an hour at most. The listener reads what
 * is found from then on, and credits it, unless others could take the funds back: that is recorded and reported.
 */
@Injectable()
export class OtherAccounts {
  private readonly job: ChainJob<ReadAccountChain>;
  /** Up to which ended intent the addresses were searched, by chain. */
  private readonly ended = new Map<string, EndedPlace>();
  /** The open intent that was searched last, by chain. */
  private readonly open = new Map<string, string>();
  /** The address that was searched last for accounts of an earlier version, by chain. */
  private readonly undecided = new Map<string, string>();

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
    const next = await this.nextOwners(chain);
    const each = [...next.undecided, ...next.ended, ...next.open, ...(next.round ?? [])];
    const owners = [...new Map(each.map((owner) => [owner.id, owner])).values()];
    if (owners.length > 0) await this.searchOwners(chain, owners);
    await this.moveOn(chain.chainRef, next);
  }

  private async nextOwners({ chainRef, profile }: ReadAccountChain): Promise<NextOwners> {
    const { environment, network } = profile;
    const { database } = this;
    const place = this.ended.get(chainRef) ?? BEFORE_ALL_ENDED;
    const [begun] = await database.rows(findRound(chainRef));
    const below = begun?.below ?? null;
    const above = this.undecided.get(chainRef) ?? '0';
    return {
      ended: await database.rows(endedAfter(environment, network, place, ENDED_MAX)),
      open: await database.rows(openAfter(environment, network, this.open.get(chainRef) ?? '', OPEN_MAX)),
      round: begun?.isPaused === true ? null : await database.rows(nextOfRound(profile, below, ROUND_MAX)),
      undecided: await database.rows(undecidedOwners(chainRef, above, UNDECIDED_MAX)),
    };
  }

  /** Remembers where the next search starts. An exhausted list starts again, but ended intents are searched once. */
  private async moveOn(chainRef: string, { ended, open, round, undecided }: NextOwners): Promise<void> {
    if (round !== null) await this.database.rows(moveRound(chainRef, round.at(ROUND_MAX - 1)?.id ?? null));
    const last = ended.at(-1);
    if (last !== undefined) this.ended.set(chainRef, last);
    this.open.set(chainRef, open.at(OPEN_MAX - 1)?.intentId ?? '');
    this.undecided.set(chainRef, undecided.at(UNDECIDED_MAX - 1)?.id ?? '0');
  }

  /**
   * Searches an address at once, by its key. Returns what was found: nothing when it is no address of a chain that is read by
   * accounts here.
   */
  async find(addressKey: string): Promise<readonly SearchedAddress[]> {
    const searched: SearchedAddress[] = [];
    for (const chain of await this.chains.accounts.active()) {
      const owners = await this.database.rows(ownersByKey(chain.profile, addressKey));
      if (owners.length > 0) searched.push(await this.searchOwners(chain, owners));
    }
    return searched;
  }

  /** Searches these addresses, and records what is found. */
  private async searchOwners(chain: ReadAccountChain, owners: readonly Owner[]): Promise<SearchedAddress> {
    const { chainRef, profile, nodes } = chain;
    const ids = new Map(owners.map(({ id, addressKey }) => [addressKey, id]));
    const keys = [...ids.keys()];
    const { accounts: found, refused: unlisted } = await nodes.attempt(({ client }) =>
      client.otherAccountsOf(keys, tokenContracts(profile)),
    );
    const owned = found.flatMap((account) => {
      const addressId = ids.get(account.owner);
      return addressId === undefined ? [] : [{ ...account, addressId }];
    });
    for (const owner of unlisted) {
      ids.delete(owner);
      this.logger.warn({ chainRef, owner }, 'The node does not list the token accounts of an address.');
    }
    const { taken, refused } = await this.record(chain, [...ids.values()], owned);
    const amountOf = shownAmount(profile);
    return {
      credited: taken.map(({ account, ...rest }) => ({ account, amount: amountOf(rest) })),
      refused: refused.map(({ account, obstacle, ...rest }) => ({ account, amount: amountOf(rest), obstacle })),
      unlisted,
    };
  }

  /** Records what was found at addresses that the node has listed, and reports what is new. */
  private async record(
    { chainRef, profile }: ReadAccountChain,
    addressIds: readonly string[],
    found: readonly FoundAccount[],
  ): Promise<ReturnType<typeof admitted>> {
    const { taken, refused, changed } = await this.database.transaction(async (tx) => {
      const decided = admitted(found, await rows(tx, creditedBalances(chainRef, addressIds)), wholeToken(profile));
      await rows(tx, insertCredited(chainRef, decided.taken));
      const accounts = decided.refused.map(({ account }) => account);
      await rows(tx, deleteEmptied(chainRef, addressIds, accounts));
      return { ...decided, changed: await rows(tx, upsertAccounts(chainRef, decided.refused)) };
    });
    const amountOf = shownAmount(profile);
    for (const { account, owner, ...funds } of taken) {
      const detail = { chainRef, account, owner, amount: amountOf(funds) };
      this.logger.info(detail, 'Another token account of an address is credited from now on.');
    }
    const isNew = new Set(changed.flatMap((row) => (row.isNew ? [row.account] : [])));
    for (const { account, owner, obstacle, ...funds } of refused.filter((each) => isNew.has(each.account))) {
      const detail = { chainRef, account, owner, amount: amountOf(funds), obstacle };
      this.logger.error(detail, 'Funds in another token account of an address cannot be credited.');
    }
    return { taken, refused };
  }
}

/** Returns a function that gives one whole token in smallest units. */
const wholeToken =
  ({ tokens }: Pick<NetworkProfile, 'tokens'>) =>
  (token: string): bigint =>
    10n ** BigInt(tokens.find(({ contract }) => contract === token)?.decimals ?? 0);

/** Returns a function that shows an amount with its symbol. */
const shownAmount =
  ({ tokens }: Pick<NetworkProfile, 'tokens'>) =>
  ({ token, units }: Pick<FoundAccount, 'token' | 'units'>): string => {
    const listed = tokens.find(({ contract }) => contract === token);
    return listed === undefined ? String(units) : `${formatUnits(units, listed.decimals)} ${listed.symbol}`;
  };
