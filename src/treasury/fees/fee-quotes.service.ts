import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { coinOf, type TokenProfile } from '../../chains/networks.js';
import { DomainError } from '../../domain/errors.js';
import { type Environment, NATIVE_COIN, type Network } from '../../domain/network.js';
import { tokenFeeOf } from '../../domain/network-fee.js';
import type { FeeStrategy } from '../../domain/outgoing-payment.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { expectedFeeOf } from './current-fees.js';

const RETRY_AFTER_SECONDS = 10;

/** A payment to quote the network fee for. */
export interface FeeQuery {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  /** The token that is paid, and in which the fee is charged. */
  readonly token: TokenProfile;
  readonly strategy: FeeStrategy;
  /** Whether the payment opens an account for its destination, where accounts cost rent; null = unknown: the dearer case. */
  readonly opensAccount: boolean | null;
}

/** The network fee that a pocket is charged. */
export interface FeeQuote {
  /** In the token's minor units, rounded up, at least 1. */
  readonly networkFeeCents: bigint;
  /** The same fee in smallest units. */
  readonly feeUnits: bigint;
  /** The gas price sample that the quote used. */
  readonly sampleId: string;
}

/** Quotes network fees from the newest gas price sample and the newest prices, without any network call. */
@Injectable()
export class FeeQuotes {
  constructor(private readonly pricing: PricingService) {}

  /**
   * @throws DomainError `network_unavailable` (no fresh gas prices, or a token whose transfers bring less than they move),
   * `price_unavailable` (no fresh price)
   */
  async quote(em: EntityManager, query: FeeQuery): Promise<FeeQuote> {
    const { network, token, strategy } = query;
    const expected = await expectedFeeOf(em, {
      ...query,
      token: token.contract,
      strategy,
      opensAccount: query.opensAccount,
    });
    if (expected === null) throw unavailable(network);
    if (expected === 'token_changed') throw changed(network, token);
    const isCoin = token.contract === NATIVE_COIN;
    const coin = coinOf(network);
    const { minorUnits, units } = tokenFeeOf({
      fee: expected.fee,
      coinDecimals: coin.decimals,
      decimals: token.decimals,
      minorUnitExponent: token.minorUnitExponent,
      prices: isCoin ? null : await this.prices(em, query, coin),
    });
    return { networkFeeCents: minorUnits, feeUnits: units, sampleId: expected.sampleId };
  }

  private async prices(
    em: EntityManager,
    { environment, token }: FeeQuery,
    coin: TokenProfile,
  ): Promise<{ readonly coin: string; readonly token: string }> {
    return {
      coin: (await this.pricing.current(environment, coin.symbol, em)).price,
      token: (await this.pricing.current(environment, token.symbol, em)).price,
    };
  }
}

function unavailable(network: Network): DomainError {
  return new DomainError('network_unavailable', `The ${network} network fee is temporarily unavailable.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function changed(network: Network, { symbol }: TokenProfile): DomainError {
  return new DomainError(
    'network_unavailable',
    `${symbol} on ${network} cannot be paid out: its issuer takes a fee of transfers, or has deprecated its contract.`,
  );
}
