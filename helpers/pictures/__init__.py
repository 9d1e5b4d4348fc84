"""What still pictures and the Explorer share: matrices with their labels, roles and colours."""
