// Sorts the table of runs by the column whose head is clicked; numbers by value, the rest as text.
for (const head of document.querySelectorAll(".sort th")) {
  head.addEventListener("click", () => {
    const column = [...head.parentNode.children].indexOf(head);
    const order = head.dataset.order === "up" ? "down" : "up";
    for (const other of head.parentNode.children) delete other.dataset.order;
    head.dataset.order = order;
    const key = (row) => {
      const cell = row.children[column];
      const number = Number(cell.dataset.value ?? cell.textContent);
      return cell.textContent !== "" && !Number.isNaN(number) ? number : cell.textContent;
    };
    const compare = (a, b) =>
      typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(key(a), key(b)));
    if (order === "down") rows.reverse();
    body.append(...rows);
  });
}
