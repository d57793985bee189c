// What the pages of mdBook lack for readers who use no mouse: listings can be scrolled by keys, and the bar has a role.
for (const listing of document.querySelectorAll("pre > code")) listing.tabIndex = 0;
document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");
document.getElementById("mdbook-sidebar-toggle")?.setAttribute("role", "button");
