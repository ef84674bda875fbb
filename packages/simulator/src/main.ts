import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { startFromEnvironment } from './start-from-environment.ts';

const log = createLogger('simulator');
runProgram(log, () => startFromEnvironment(process.env, log));
