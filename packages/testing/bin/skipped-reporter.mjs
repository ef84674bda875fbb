/** Vitest reporter: lists every skipped test at the end, with its reason. */
export default class SkippedReporter {
  /** @type {string[]} */
  #skipped = [];

  onTestCaseResult(test) {
    const result = test.result();
    if (result.state !== 'skipped') return;
    const note = result.note === undefined ? '' : ` (${result.note})`;
    this.#skipped.push(`  ${test.module.relativeModuleId} > ${test.fullName}${note}`);
  }

  onTestRunEnd() {
    if (this.#skipped.length > 0) console.log(`\nSkipped:\n${this.#skipped.join('\n')}`);
  }
}
