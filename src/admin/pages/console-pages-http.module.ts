import { Module } from '@nestjs/common';
import { ConsolePagesController } from './console-pages.controller.js';

@Module({ controllers: [ConsolePagesController] })
export class ConsolePagesHttpModule {}
