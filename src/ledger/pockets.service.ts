import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment, Network } from '../domain/network.js';
import { type Asset, assetOf } from '../domain/posting.js';
import type { Tenant } from '../domain/tenant.js';
import { rows, type Tx } from '../platform/database/database.js';
import {
  findDepositAccounts,
  findMissingPockets,
  merchantsAfter,
  type NewPocket,
  openPocketAccounts,
  openPockets,
} from './pockets.sql.js';
import { systemAccount } from './system-accounts.js';

/** What identifies the token of a pocket. */
export interface PocketKey {
  readonly environment: Environment;
  readonly network: Network;
  readonly contract: string;
}

/** What identifies a pocket. */
export interface PocketOf extends PocketKey {
  readonly merchantId: string;
}

/** The token a pocket holds. */
export interface PocketToken extends PocketKey {
  readonly symbol: string;
  readonly decimals: number;
  readonly minorUnitExponent: number;
}

/** The two accounts between which a deposit is booked. */
export interface DepositAccounts {
  readonly asset: Asset;
  readonly chainAccountId: number;
  readonly availableAccountId: number;
}

/** Merchants whose pockets are opened in one batch of statements. */
const MERCHANTS_AT_A_TIME = 1_000;

/** Opens pockets and finds their accounts. The contract identifies a pocket's asset; the symbol is for display. */
@Injectable()
export class PocketsService {
  /** Opens a pocket of each of these tokens for every merchant that has none. */
  async openForAllMerchants(tx: Tx, tokens: readonly PocketToken[]): Promise<void> {
    let after = '';
    for (;;) {
      const merchants = await rows(tx, merchantsAfter(after, MERCHANTS_AT_A_TIME));
      const last = merchants.at(-1);
      if (last === undefined) return;
      await openMissing(
        tx,
        merchants.map((merchant) => merchant.id),
        tokens,
      );
      after = last.id;
    }
  }

  /** Opens a pocket of each of these tokens for one merchant. */
  async openForMerchant(tx: Tx, merchantId: string, tokens: readonly PocketToken[]): Promise<void> {
    await openMissing(tx, [merchantId], tokens);
  }

  /** Returns the two accounts of deposits to pockets, in their order; null for a pocket that does not exist yet. */
  async findDepositAccounts(tx: Tx, pockets: readonly PocketOf[]): Promise<readonly (DepositAccounts | null)[]> {
    const wanted = pockets.map((pocket) => ({ ...pocket, asset: assetOf(pocket.network, pocket.contract) }));
    const found = new Map((await rows(tx, findDepositAccounts(wanted))).map((one) => [Number(one.nth) - 1, one]));
    const accounts: (DepositAccounts | null)[] = [];
    for (const [place, { environment, asset }] of wanted.entries()) {
      const { availableAccountId, chainAccountId } = found.get(place) ?? {};
      if (availableAccountId === undefined) {
        accounts.push(null);
        continue;
      }
      const chain = Number(chainAccountId ?? (await systemAccount(tx, 'chain', environment, asset)));
      accounts.push({ asset, chainAccountId: chain, availableAccountId: Number(availableAccountId) });
    }
    return accounts;
  }

  /** Returns the same accounts, and opens the pocket when it does not exist yet. */
  async depositAccounts(tx: Tx, tenant: Tenant, token: PocketToken): Promise<DepositAccounts> {
    const pocket = { ...tenant, network: token.network, contract: token.contract };
    const [found] = await this.findDepositAccounts(tx, [pocket]);
    if (found) return found;
    await openMissing(tx, [tenant.merchantId], [{ ...token, environment: tenant.environment }]);
    const [opened] = await this.findDepositAccounts(tx, [pocket]);
    if (!opened) throw new Error(`The pocket of ${token.network} ${token.contract} could not be opened.`);
    return opened;
  }
}

/** Opens the missing pockets of these merchants and tokens, in three statements. Safe to run concurrently. */
async function openMissing(tx: Tx, merchantIds: readonly string[], tokens: readonly PocketToken[]): Promise<void> {
  for (const { decimals, minorUnitExponent, ...token } of tokens) {
    if (Number.isInteger(decimals) && Number.isInteger(minorUnitExponent)) continue;
    throw new Error(`A pocket of ${assetOf(token.network, token.contract)} needs its decimals.`);
  }
  const missing = await missingPockets(tx, merchantIds, tokens);
  if (missing.length === 0) return;
  await rows(tx, openPocketAccounts(missing));
  await rows(tx, openPockets(missing));
}

async function missingPockets(
  tx: Tx,
  merchantIds: readonly string[],
  tokens: readonly PocketToken[],
): Promise<NewPocket[]> {
  const missing = await rows(tx, findMissingPockets(merchantIds, tokens));
  return missing.flatMap(({ merchantId, nth }) => {
    const token = tokens[Number(nth) - 1];
    if (token === undefined) return [];
    return [{ ...token, id: newId('pkt_'), merchantId, asset: assetOf(token.network, token.contract) }];
  });
}
