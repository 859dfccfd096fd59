import { Module } from '@nestjs/common';
import { DailyFiguresReader } from './daily-figures.service.js';
import { HourlyStats } from './hourly-stats.service.js';

/** The figures of closed hours: a job fills them, and staff see them by day. */
@Module({ providers: [DailyFiguresReader, HourlyStats], exports: [DailyFiguresReader] })
export class ChartsModule {}
