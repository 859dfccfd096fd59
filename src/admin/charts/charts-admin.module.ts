import { Module } from '@nestjs/common';
import { ChartsModule } from '../../charts/charts.module.js';
import { ChartsController } from './charts.controller.js';

/** Charts in the console. */
@Module({ imports: [ChartsModule], controllers: [ChartsController] })
export class ChartsAdminModule {}
