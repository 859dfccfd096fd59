import { failpointsOf } from '../support/killed-sweeps.js';
import { describeTronSweepDeaths } from './tron-sweep-deaths.js';

describeTronSweepDeaths('USDT', ['sweep.planned', ...failpointsOf('funding'), ...failpointsOf('sweep')]);
describeTronSweepDeaths('TRX', ['sweep.signed_persisted', 'sweep.broadcast_before_save', 'sweep.mined_seen']);
