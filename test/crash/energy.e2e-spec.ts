import { describeEnergyDeaths } from './energy-deaths.js';

// Energy that is lent, taken back and staked, and in each case not recorded. The others: `npm run soak`.
describeEnergyDeaths({
  loan: ['energy_loan.broadcast_before_save', 'energy_return.signed_persisted'],
  stake: ['stake.broadcast_before_save'],
});
