import type { EntityClass } from '@mikro-orm/core';
import { ApiKey } from '../auth/api-key.entity.js';
import { IdempotencyRecord } from '../idempotency/idempotency-record.entity.js';
import { Merchant } from '../auth/merchant.entity.js';
import { RateBucket } from '../auth/rate-bucket.entity.js';
import { AuditSeal } from '../audit-log/audit-seal.entity.js';
import { UnsealedAuditEntry } from '../audit-log/unsealed-audit-entry.entity.js';
import { BooksAudit } from '../auditor/books-audit.entity.js';
import { EventCounter } from '../events/event-counter.entity.js';
import { Event } from '../events/event.entity.js';
import { CountedOnHold } from '../payments/intents/counted-on-hold.entity.js';
import { Acknowledgement } from '../payments/intents/acknowledgement.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { DirtyIntent } from '../payments/intents/dirty-intent.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { Account } from '../ledger/account.entity.js';
import { Entry } from '../ledger/entry.entity.js';
import { LedgerSeal } from '../ledger/ledger-seal.entity.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { Posting } from '../ledger/posting.entity.js';
import { UnsealedEntry } from '../ledger/unsealed-entry.entity.js';
import { ChainBlock } from '../offers/chain-block.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { HourlyStat } from '../charts/hourly-stat.entity.js';
import { RpcNode } from '../offers/rpc-node.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { Note } from '../notes/note.entity.js';
import { AuditEntry } from '../platform/audit-entry.entity.js';
import { Lease } from '../platform/lease.entity.js';
import { PriceSnapshot } from '../pricing/price-snapshot.entity.js';
import { Refund } from '../suspense/refunds/refund.entity.js';
import { InboxBucket } from '../sandbox/inbox/inbox-bucket.entity.js';
import { InboxRequest } from '../sandbox/inbox/inbox-request.entity.js';
import { WebhookInbox } from '../sandbox/inbox/webhook-inbox.entity.js';
import { SandboxPayment } from '../sandbox/sandbox-payment.entity.js';
import { SanctionedAddress } from '../sanctions/sanctioned-address.entity.js';
import { SanctionsImport } from '../sanctions/sanctions-import.entity.js';
import { RecoveryCode } from '../staff/recovery-code.entity.js';
import { SignInFailure } from '../staff/sign-in-failure.entity.js';
import { StaffInvitation } from '../staff/staff-invitation.entity.js';
import { StaffMember } from '../staff/staff-member.entity.js';
import { StaffSession } from '../staff/staff-session.entity.js';
import { Delegation } from '../treasury/sweeps/delegation.entity.js';
import { DepositBalance } from '../treasury/sweeps/deposit-balance.entity.js';
import { ReturnedRent } from '../treasury/sweeps/expiring/returned-rent.entity.js';
import { StakeOrder } from '../treasury/stakes/stake-order.entity.js';
import { EnergyLoan } from '../treasury/sweeps/energy/energy-loan.entity.js';
import { EnergyReturn } from '../treasury/sweeps/energy/energy-return.entity.js';
import { Funding } from '../treasury/sweeps/funding/funding.entity.js';
import { SeenFunding } from '../treasury/sweeps/funding/seen-funding.entity.js';
import { SweepContract } from '../treasury/sweeps/sweep-contract.entity.js';
import { SweepItem } from '../treasury/sweeps/sweep-item.entity.js';
import { SweptAccount } from '../treasury/sweeps/expiring/swept-account.entity.js';
import { Sweep } from '../treasury/sweeps/sweep.entity.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { GasPriceSample } from '../treasury/fees/gas-price-sample.entity.js';
import { HotBalance } from '../treasury/wallets/hot-balance.entity.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';
import { ExpiryProof } from '../treasury/expiring/expiry-proof.entity.js';
import { LossItem } from '../treasury/transactions/loss-item.entity.js';
import { PaymentSimulation } from '../treasury/simulation/payment-simulation.entity.js';
import { Discrepancy } from '../treasury/wallets/discrepancy.entity.js';
import { BalanceSnapshot } from '../treasury/wallets/balance-snapshot.entity.js';
import { TopUp } from '../treasury/wallets/top-up.entity.js';
import { TransactionAttempt } from '../treasury/transactions/transaction-attempt.entity.js';
import { VaultAudit } from '../treasury/vault-audit.entity.js';
import { DisprovedAddress } from '../payments/addresses/disproved-address.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { CreditedAccount } from '../payments/listener/accounts/credited-account.entity.js';
import { OtherAccount } from '../payments/listener/accounts/other-account.entity.js';
import { OtherAccountRound } from '../payments/listener/accounts/other-account-round.entity.js';
import { UnexplainedBalance } from '../payments/listener/accounts/unexplained-balance.entity.js';
import { WatchedAccount } from '../payments/listener/accounts/watched-account.entity.js';
import { VaultPresence } from '../vault-status/vault-presence.entity.js';
import { LoggedRequest } from '../request-log/logged-request.entity.js';
import { DeliveryAttempt } from '../webhooks/deliveries/delivery-attempt.entity.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';
import { ReplayJob } from '../webhooks/replays/replay-job.entity.js';
import { ReplayTarget } from '../webhooks/replays/replay-target.entity.js';
import { WebhookRecovery } from '../webhooks/recoveries/webhook-recovery.entity.js';
import { AllowedDestination } from '../withdrawals/policies/allowed-destination.entity.js';
import { ApprovalThreshold } from '../withdrawals/policies/approval-threshold.entity.js';
import { PocketLimit } from '../withdrawals/policies/pocket-limit.entity.js';
import { WithdrawalApproval } from '../withdrawals/policies/withdrawal-approval.entity.js';
import { WithdrawalPolicy } from '../withdrawals/policies/withdrawal-policy.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';

/** Every entity of the ORM; a test compares them with the tables of the migrations. */
export const ENTITIES: readonly EntityClass<object>[] = [
  Merchant,
  ApiKey,
  IdempotencyRecord,
  RateBucket,
  Lease,
  Chain,
  ChainToken,
  ChainCursor,
  RpcNode,
  ChainBlock,
  PoolAddress,
  CreditedAccount,
  OtherAccount,
  OtherAccountRound,
  UnexplainedBalance,
  WatchedAccount,
  DisprovedAddress,
  PriceSnapshot,
  PaymentIntent,
  CountedOnHold,
  Acknowledgement,
  DirtyIntent,
  Deposit,
  SandboxPayment,
  WebhookInbox,
  InboxRequest,
  InboxBucket,
  Account,
  Entry,
  Posting,
  LedgerSeal,
  UnsealedEntry,
  BooksAudit,
  Pocket,
  Event,
  EventCounter,
  WebhookEndpoint,
  Delivery,
  DeliveryAttempt,
  WebhookRecovery,
  ReplayJob,
  ReplayTarget,
  SanctionsImport,
  SanctionedAddress,
  HotWallet,
  HotBalance,
  Discrepancy,
  BalanceSnapshot,
  TopUp,
  GasPriceSample,
  ChainTransaction,
  TransactionAttempt,
  LossItem,
  ExpiryProof,
  VaultAudit,
  PaymentSimulation,
  DepositBalance,
  Sweep,
  SweepItem,
  SweptAccount,
  SweepContract,
  ReturnedRent,
  Funding,
  SeenFunding,
  EnergyLoan,
  StakeOrder,
  EnergyReturn,
  Delegation,
  Refund,
  Withdrawal,
  WithdrawalPolicy,
  PocketLimit,
  ApprovalThreshold,
  AllowedDestination,
  WithdrawalApproval,
  AuditEntry,
  AuditSeal,
  UnsealedAuditEntry,
  StaffMember,
  StaffSession,
  StaffInvitation,
  RecoveryCode,
  SignInFailure,
  VaultPresence,
  Note,
  LoggedRequest,
  HourlyStat,
];
