import { describeEnergyDeaths } from './energy-deaths.js';

// Energy that is lent, and that is staked, and in both cases not recorded. The others: `npm run soak`.
describeEnergyDeaths({ loan: ['energy_loan.broadcast_before_save'], stake: ['stake.broadcast_before_save'] });
