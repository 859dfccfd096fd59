import type { Environment } from '../../domain/network.js';
import type { RecentStake } from '../../treasury/stakes/stake-operations.service.js';
import type { OpenSweep, SetAsideBalance } from '../../treasury/sweeps/sweep-operations.service.js';
import { GAS_PAYMENTS_SHOWN, type HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import type { TopUpView } from '../../treasury/wallets/top-up-reader.service.js';
import type { WalletComparison, WrittenOff } from '../../treasury/wallets/wallet-comparisons.service.js';
import { presentAmount, presentTime, presentTimeOrNull } from '../amount.js';
import { missingCommands, sweepAgain, walletCommands } from './treasury-commands.js';
import type { TreasuryObject } from './treasury.schema.js';

export function presentWallet(wallet: HotWalletView): TreasuryObject['wallets'][number] {
  const { chainRef, network, address, frozenReason, gasPayments, isLowOnGas } = wallet;
  return {
    id: chainRef,
    network,
    address,
    frozen_reason: frozenReason,
    gas_payments: gasPayments,
    gas_payments_is_more: gasPayments === GAS_PAYMENTS_SHOWN,
    is_low_on_gas: isLowOnGas,
    holdings: wallet.holdings.map(({ symbol, decimals, amount, spendable, coming }) => ({
      token: symbol,
      amount: amount === null ? null : presentAmount(amount, decimals),
      spendable: spendable === null ? null : presentAmount(spendable, decimals),
      coming: presentAmount(coming, decimals),
    })),
    commands: walletCommands(wallet, { isFrozen: frozenReason !== null, isLow: isLowOnGas }),
  };
}

export function presentComparison(
  environment: Environment,
  { chainRef, tokenContract, network, symbol, decimals, ...found }: WalletComparison,
): TreasuryObject['comparisons'][number] {
  const isCompared = found.bookedHeight !== null;
  const missing = isCompared ? BigInt(found.missing) : 0n;
  return {
    id: `${chainRef} ${tokenContract}`,
    network,
    token: symbol,
    on_chain: presentAmount(BigInt(found.amount), decimals),
    in_books: found.booked === null ? null : presentAmount(BigInt(found.booked), decimals),
    missing: presentAmount(missing, decimals),
    height: Number(found.height),
    compared_at: presentTimeOrNull(found.comparedAt),
    commands: missing > 0n ? missingCommands({ environment, network }, symbol) : [],
  };
}

export const presentWriteOff = ({
  id,
  network,
  symbol,
  decimals,
  amount,
  height,
  bookedAt,
}: WrittenOff): TreasuryObject['write_offs'][number] => ({
  id,
  network,
  token: symbol,
  amount: presentAmount(BigInt(amount), decimals),
  height: Number(height),
  booked_at: presentTime(bookedAt),
});

export const presentTopUp = (topUp: TopUpView): TreasuryObject['top_ups'][number] => ({
  id: topUp.id,
  network: topUp.network,
  token: topUp.token,
  amount_decimal: topUp.amountDecimal,
  up_to_block: topUp.toBlock,
  found_at: topUp.foundAt,
});

export const presentSweep = ({
  id,
  network,
  reason,
  items,
  ageSeconds,
  standing,
}: OpenSweep): TreasuryObject['sweeps'][number] => ({
  id,
  network,
  reason,
  items,
  age_seconds: ageSeconds,
  standing,
});

export const presentSetAside = ({
  network,
  token,
  amount,
  address,
  reason,
}: SetAsideBalance): TreasuryObject['set_aside'][number] => ({
  // Several accounts of an address may be set aside, each for its own reason.
  id: `${network} ${token} ${address} ${reason}`,
  network,
  token,
  amount_decimal: amount,
  address,
  reason,
  command: sweepAgain(network, address),
});

export const presentStake = ({
  id,
  move,
  amount,
  succeeded,
  standing,
  createdAt,
  decimals,
}: RecentStake): TreasuryObject['stakes'][number] => ({
  id,
  move,
  amount: presentAmount(amount, decimals),
  succeeded,
  standing,
  created_at: presentTime(createdAt),
});
