/**
 * Text that comes in pieces, cut at its blank lines. It looks at each character once, however long a
 * block is and however small the pieces are.
 */
export class Blocks {
  pieces = [];
  endsLine = false;

  /** @returns {string[]} the blocks that end in this piece, without their ends */
  of(piece) {
    const whole = [];
    let from = 0;
    if (this.endsLine && piece[0] === '\n') {
      whole.push(this.pieces.join('').slice(0, -1));
      this.pieces = [];
      from = 1;
    }
    for (let end = piece.indexOf('\n\n', from); end >= 0; end = piece.indexOf('\n\n', from)) {
      whole.push(this.pieces.join('') + piece.slice(from, end));
      this.pieces = [];
      from = end + 2;
    }
    if (piece.length > 0) {
      this.endsLine = from < piece.length && piece.endsWith('\n');
    }
    this.pieces.push(piece.slice(from));
    return whole;
  }
}
