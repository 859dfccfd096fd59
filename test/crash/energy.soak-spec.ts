import { failpointsOf } from '../support/killed-sweeps.js';
import { describeEnergyDeaths } from './energy-deaths.js';

describeEnergyDeaths({
  loan: [...failpointsOf('energy_loan'), ...failpointsOf('energy_return'), 'sweep.posted'],
  stake: failpointsOf('stake'),
});
