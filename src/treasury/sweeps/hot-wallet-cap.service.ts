import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { type PricedUnits, valueInCoin } from '../../domain/sweep-plan.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { rows } from '../../platform/database/database.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { findHoldings } from './hot-wallet-cap.sql.js';

/** Cents of a dollar. */
const CENTS: PricedUnits = { decimals: 2, price: '1' };
/** The value of the balance is unknown. */
const UNKNOWN = -1n;

/** Keeps the value of each hot wallet below a cap, which limits the loss when its key leaks. */
@Injectable()
export class HotWalletCap {
  constructor(
    private readonly pricing: PricingService,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
  ) {}

  /**
   * Returns how much may still be swept to the hot wallet of a chain, in wei of the native coin, less everything in
   * open sweeps. Negative when the cap is exceeded or a price is missing. Null without a cap.
   */
  async room(em: EntityManager, chainRef: string): Promise<bigint | null> {
    const { hotWalletCapCents } = this.config.treasury;
    if (hotWalletCapCents === 0) return null;
    const holdings = await rows(em, findHoldings(chainRef));
    const [first] = holdings;
    if (first === undefined) return UNKNOWN;
    try {
      const { environment, coinSymbol, coinDecimals } = first;
      const coin = { decimals: coinDecimals, price: await this.priceOf(em, environment, coinSymbol) };
      let room = valueOf(BigInt(hotWalletCapCents), CENTS, coin);
      for (const { symbol, decimals, units } of holdings) {
        room -= valueOf(BigInt(units), { decimals, price: await this.priceOf(em, environment, symbol) }, coin);
      }
      return room;
    } catch (error) {
      if (error instanceof DomainError) return UNKNOWN;
      throw error;
    }
  }

  private async priceOf(em: EntityManager, environment: Environment, symbol: string): Promise<string> {
    return (await this.pricing.current(environment, symbol, em)).price;
  }
}

function valueOf(units: bigint, token: PricedUnits, coin: PricedUnits): bigint {
  const value = valueInCoin(units, token, coin);
  if (value === null) throw new DomainError('price_unavailable', 'A price is not a positive number.');
  return value;
}
