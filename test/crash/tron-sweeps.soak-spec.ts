import { failpointsOf } from '../support/killed-tron-sweeps.js';
import { describeTronSweepDeaths } from './tron-sweep-deaths.js';

describeTronSweepDeaths(['sweep.planned', ...failpointsOf('funding'), ...failpointsOf('sweep')]);
