import { Module } from '@nestjs/common';
import { SigningFreeze } from '../payouts/signing-freeze.service.js';
import { SigningPlaces } from '../payouts/signing-places.service.js';
import { PolicyOperations } from './policy-operations.service.js';
import { PolicyTightening } from './policy-tightening.service.js';
import { WithdrawalApprovals } from './withdrawal-approvals.service.js';
import { WithdrawalPolicies } from './withdrawal-policies.service.js';

const SERVICES = [
  PolicyOperations,
  PolicyTightening,
  SigningFreeze,
  SigningPlaces,
  WithdrawalApprovals,
  WithdrawalPolicies,
];

/** The rules, approvals and freezes that the vault checks before it signs a withdrawal. Staff set them. */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class WithdrawalPoliciesModule {}
