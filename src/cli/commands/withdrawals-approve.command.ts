import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { WithdrawalApprovals } from '../../withdrawals/policies/withdrawal-approvals.service.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

/** `withdrawals approve`. */
export const withdrawalsApprove = defineCommand({
  usage: 'withdrawals approve <withdrawal id> --reason TEXT',
  example: "npx coffer withdrawals approve wd_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'confirmed by phone'",
  details:
    'For one that pays more than `policy approval-above` allows, or whose destination is new (`policy set\n' +
    '--new-destination-hours`): the vault signs it within a second, if no other rule holds it. Only these terms are approved:\n' +
    'look at them first by `withdrawals show`. To refuse it, `withdrawals cancel` gives the money back.',
  options: {
    reason: reasonOption,
    'look-alike-checked': {
      type: 'boolean',
      about: 'The destination was compared, character by character, with those it looks like.',
    },
  },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    const isLookAlikeChecked = values['look-alike-checked'] ?? false;
    return withServices(context, { modules: [WithdrawalPoliciesModule] }, async ({ database, get }) => {
      const approved = await database.transaction((tx) =>
        get(WithdrawalApprovals).approve(tx, id, order, isLookAlikeChecked),
      );
      const { money, destination, approvedBy, approvedAt, isNew } = approved;
      const before = isNew ? '' : ` already, by ${approvedBy} at ${approvedAt.toISOString()}`;
      context.terminal.line(`Withdrawal ${id} is approved${before}: ${money} to ${destination}.`);
      return EXIT.fine;
    });
  },
});
