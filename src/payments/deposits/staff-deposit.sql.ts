import type { ChainToken } from '../../offers/chain-token.entity.js';
import type { Chain } from '../../offers/chain.entity.js';
import type { Row } from '../../platform/sql/row.js';
import type { PoolAddress } from '../addresses/pool-address.entity.js';
import type { PaymentIntent } from '../intents/payment-intent.entity.js';
import type { Deposit } from './deposit.entity.js';

/** Columns of an outer join, which may find nothing. */
type OrNull<Columns> = { readonly [Name in keyof Columns]: Columns[Name] | null };

/**
 * The columns of a `StaffDeposit` in every statement that lists deposits for staff, with the intent of the address; null
 * when it was not assigned.
 */
export type StaffDepositRow = Row<Deposit, 'id' | 'tokenContract' | 'amount' | 'txHash'> &
  Row<Chain, 'environment' | 'network'> &
  Row<PoolAddress, 'address'> &
  OrNull<Row<ChainToken, 'symbol' | 'decimals'>> & { readonly intentId: PaymentIntent['id'] | null } & OrNull<
    Row<PaymentIntent, 'merchantId'>
  >;
